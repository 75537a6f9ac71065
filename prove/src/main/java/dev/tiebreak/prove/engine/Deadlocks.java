package dev.tiebreak.prove.engine;

/** How deadlocks come to have the same victim in every run. */
final class Deadlocks {
    private static final int[] MILLIS = {10, 60, 300};

    private Deadlocks() {}

    /** The deadlock timeout of the session with this index: the lower the index, the sooner it looks. */
    static int timeoutMillis(int session) {
        return session < MILLIS.length ? MILLIS[session] : MILLIS[MILLIS.length - 1] * (session - 1);
    }
}
