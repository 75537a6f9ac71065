package dev.tiebreak;

/**
 * Thrown by {@code orRollback()} when a race was lost, carrying the outcome that says why.
 *
 * <p>It is unchecked, so it rolls back a {@link Tx} body and a Spring {@code @Transactional} method alike: what the loser
 * wrote before is gone.
 */
public final class Lost extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Record outcome;

    /** Wraps a losing outcome, such as {@code SoldOut[left=0]}. */
    public Lost(Record outcome) {
        super("lost the race: " + outcome);
        this.outcome = outcome;
    }

    /** The losing outcome; {@code switch} over its type to answer the caller. */
    public Record outcome() {
        return outcome;
    }
}
