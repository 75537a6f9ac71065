package dev.tiebreak.prove.engine;

/** Decides whose turn it is. */
interface Chooser {
    /** Ends the run here: another run tells the same. */
    int CUT = -1;
    /** Ends the run here: it cannot follow the order that was asked for. */
    int INFEASIBLE = -2;
    /** Ends the run here: it has come as far as it should. */
    int ENOUGH = -3;

    /**
     * One of the enabled sessions, or one of the constants above.
     *
     * @param view where everybody stands
     */
    int choose(View view);

    /** Where everybody stands between two turns. */
    interface View {
        /** Number of the coming turn, from 0. */
        int turn();

        /** Bits of the sessions that can be chosen; never 0. */
        int enabled();

        /** The session of the turn before, or -1. */
        int previous();

        /** Equal for equal histories, unless the server decided otherwise. */
        long arrived();

        /** What the session's next turn may touch. */
        Footprint next(int actor);

        /** What the turn before touched. */
        Footprint done();

        /** Whether the session is in a transaction block. */
        boolean inTransaction(int actor);

        /** How many transactions the session has committed. */
        int committed(int actor);

        /** Whether the session has nothing more to do. */
        boolean ended(int actor);

        /** The step that waits at the session's gate. */
        String step(int actor);
    }
}
