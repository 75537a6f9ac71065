package dev.tiebreak.prove.spec;

import java.util.List;
import java.util.Optional;

/**
 * One connection and the steps it runs, in order.
 *
 * @param name unique in the file; of a copy {@code s1#2}
 * @param setup run before the first step
 * @param steps at least one
 * @param teardown run after the last step
 * @param copy the number from 1 that {@code #@ sessions N of S} gave it, or 0 for a session that was not copied
 * @param at where the session is declared
 */
public record Session(
        String name, Optional<Sql> setup, List<Step> steps, Optional<Sql> teardown, int copy, Position at) {
    /** Takes a copy of the steps. */
    public Session {
        steps = List.copyOf(steps);
    }
}
