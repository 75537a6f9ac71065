package dev.tiebreak.prove.engine;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Bounds of a proof.
 *
 * @param preemptions the most switches away from a session that could go on; {@link Integer#MAX_VALUE} for all
 * @param budget the most time
 * @param interleavings the most runs
 * @param reduce whether orders that only swap what does not touch each other are left out
 * @param afterViolation how long to go on counting once the shortest bad run is known
 * @param patience how long a step may take while nobody of the race blocks it
 * @param listener told after every run
 */
public record Settings(
        int preemptions,
        Duration budget,
        long interleavings,
        boolean reduce,
        Duration afterViolation,
        Duration patience,
        Consumer<Explorer.Progress> listener) {}
