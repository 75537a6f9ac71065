package dev.tiebreak;

import java.time.Duration;

/**
 * Hears how each race was settled: the seam for metrics and logs.
 *
 * <p>Called on the thread that ran the race, after the answer is known and before it is returned; keep it quick. An
 * exception it throws is logged and dropped. Nothing in an event is of high cardinality: no keys, no ids. An
 * implementation is thread-safe.
 */
@FunctionalInterface
public interface RaceListener {
    /** Called once a race, with its outcome. */
    void settled(Event event);

    /** A listener that hears nothing; the default. */
    static RaceListener none() {
        return event -> {};
    }

    /** The same listener, but what it throws is logged as a warning and dropped: a broken metric must not break a sale. */
    default RaceListener guarded() {
        return event -> {
            try {
                settled(event);
            } catch (RuntimeException e) {
                System.getLogger(RaceListener.class.getName())
                        .log(System.Logger.Level.WARNING, "a race listener failed on " + event, e);
            }
        };
    }

    /**
     * One settled race.
     *
     * @param race the name given with {@code named(…)}
     * @param strategy how it was settled, such as {@code "conditional"}
     * @param outcome the simple name of the outcome's record, such as {@code "SoldOut"}
     * @param attempts how many times it was tried, at least 1
     * @param waited how long it took from the call to the answer
     */
    record Event(String race, String strategy, String outcome, int attempts, Duration waited) {}
}
