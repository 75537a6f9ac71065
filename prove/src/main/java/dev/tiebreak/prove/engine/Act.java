package dev.tiebreak.prove.engine;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * One operation in a run: who did it, when it began and ended, and what came of it.
 *
 * <p>Filled by the session's thread and by the conductor; to be read when the run is over.
 */
public final class Act {
    /** Index of the session. */
    public final int actor;
    /** What was asked. */
    public final Op op;
    /** The turn in which it began, counted from 0. */
    public final int turn;
    /** 1 for the first try of its transaction, 2 after one retry. */
    public final int attempt;

    /** The answers of its statements, in order. */
    public final List<Answer> answers = new ArrayList<>();
    /** The turn in which it ended; -1 if it never did. */
    public int endTurn = -1;
    /** The sessions it was seen to wait for. */
    public final BitSet waitedFor = new BitSet();
    /** The isolation level at which it ran. */
    Level level = Level.READ_COMMITTED;
    /** What it may have touched. */
    Footprint touched = Footprint.NOTHING;
    /** Which transaction of its session it belongs to, counted from 0. */
    public int transaction;
    /** Whether it was the last act of that transaction, and the transaction was committed. */
    public boolean commits;
    /** Whether it was the last act of that transaction, and the transaction was not committed. */
    public boolean aborts;
    /** Whether the transaction of this act came to be committed. */
    public boolean committed;
    /** Whether rows of the transaction had been changed when it was committed; known only when asked for. */
    public boolean wrote;

    Act(int actor, Op op, int turn, int attempt) {
        this.actor = actor;
        this.op = op;
        this.turn = turn;
        this.attempt = attempt;
    }

    /** The error that ended it, or null. */
    public Answer.@org.jspecify.annotations.Nullable Failed failure() {
        for (Answer answer : answers) {
            if (answer instanceof Answer.Failed failed) {
                return failed;
            }
        }
        return null;
    }

    /** Whether it had to wait for another session. */
    public boolean waited() {
        return !waitedFor.isEmpty();
    }
}
