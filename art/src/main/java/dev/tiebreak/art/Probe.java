package dev.tiebreak.art;

/** Lets a test stop a thread inside an operation. */
@FunctionalInterface
interface Probe {
    Probe NONE = step -> {};

    /** Called by the thread that is about to do {@code step}; may block. */
    void before(Step step);

    /** Where a thread can be stopped. */
    enum Step {
        /** The compare-and-set that a write takes effect with. */
        WRITE,
        /** Freezing one slot of a node that is to be replaced. */
        FREEZE,
        /** The compare-and-set that puts a replacement in a frozen node's place. */
        REPLACE
    }
}
