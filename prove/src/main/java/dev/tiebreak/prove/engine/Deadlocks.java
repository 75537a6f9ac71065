package dev.tiebreak.prove.engine;

/** How deadlocks come to have the same victim in every run. */
final class Deadlocks {
    private static final int[] MILLIS = {10, 60, 300};
    private static final int SLOWEST = 8;

    private int factor = 1;

    /** The deadlock timeout of the session with this index: the lower the index, the sooner it looks. */
    int millis(int session) {
        return factor * (session < MILLIS.length ? MILLIS[session] : MILLIS[MILLIS.length - 1] * (session - 1));
    }

    /**
     * Takes more time: on a busy machine a session may look before the circle is closed, and another becomes the victim.
     *
     * @return whether that was possible
     */
    boolean slower() {
        if (factor >= SLOWEST) {
            return false;
        }
        factor *= 2;
        return true;
    }
}
