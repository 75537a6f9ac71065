package dev.tiebreak.prove.spec;

import java.util.List;
import java.util.Set;

/**
 * A {@code #@} line: what the prover checks, beyond what PostgreSQL's isolation tester knows. To the stock tester it is a
 * comment.
 *
 * <p>Names of steps and sessions are checked; where a session was copied, the name of the original stands for all copies
 * and has been replaced by theirs.
 */
public sealed interface Directive {
    /** The line it stands on. */
    Position at();

    /**
     * {@code #@ race "tea sale"}: the name of the race in reports; at most once.
     *
     * @param name as quoted
     */
    record Race(String name, Position at) implements Directive {}

    /**
     * {@code #@ invariant [always] "no oversell" { SELECT … }}: a query that must answer true.
     *
     * @param name as quoted
     * @param always after every step, not only at the end of a run
     * @param sql one query of one row and one boolean column
     */
    record Invariant(String name, boolean always, Sql sql, Position at) implements Directive {}

    /**
     * {@code #@ serial-equivalent on | writers | off}; at most once.
     *
     * @param mode which sessions have to fit an order
     */
    record SerialEquivalent(Mode mode, Position at) implements Directive {
        /** Which sessions have to fit one serial order. */
        public enum Mode {
            /** Every committed session. */
            ON,
            /** Those that changed a row. */
            WRITERS,
            /** None: only invariants and errors judge. */
            OFF
        }
    }

    /**
     * {@code #@ state { SELECT … }}: the query whose answer is the final state, in place of the written tables; at most
     * once.
     *
     * @param sql one query
     */
    record State(Sql sql, Position at) implements Directive {}

    /**
     * {@code #@ ignore-result b1 b3}: steps whose results need not fit a serial order.
     *
     * @param steps their names
     */
    record IgnoreResult(Set<String> steps, Position at) implements Directive {
        /** Takes a copy of the names. */
        public IgnoreResult {
            steps = Set.copyOf(steps);
        }
    }

    /**
     * {@code #@ errors allow 40001 40P01 [retries 3] [for ben …]} or {@code #@ errors allow none}: which errors may reach a
     * session.
     *
     * @param states SQLSTATEs; empty for {@code none}
     * @param retries how often a transaction that failed with one of them is run again; 0 means that the error ends its
     *     session
     * @param sessions the sessions it holds for; empty means all
     */
    record Errors(Set<String> states, int retries, Set<String> sessions, Position at) implements Directive {
        /** Takes copies of the sets. */
        public Errors {
            states = Set.copyOf(states);
            sessions = Set.copyOf(sessions);
        }
    }

    /**
     * {@code #@ sometimes "ben lost" { SELECT … }} or {@code #@ sometimes "someone waited"}: a thing that has to occur in at
     * least one run, or the proof would be empty.
     *
     * @param name as quoted
     * @param what how it is seen
     */
    record Sometimes(String name, Sight what, Position at) implements Directive {}

    /** How a {@link Sometimes} is seen. */
    sealed interface Sight {
        /**
         * At the end of a run.
         *
         * @param sql one query of one row and one boolean column
         */
        record Query(Sql sql) implements Sight {}

        /**
         * During a run.
         *
         * @param event what happened
         * @param sessions to which sessions it may happen; empty means any
         */
        record Happened(Event event, Set<String> sessions) implements Sight {
            /** Takes a copy of the names. */
            public Happened {
                sessions = Set.copyOf(sessions);
            }
        }
    }

    /** What may happen to a session. */
    enum Event {
        /** A step waited for another session. */
        WAITED,
        /** A transaction was run again. */
        RETRIED,
        /** A step ended with an error. */
        FAILED
    }

    /**
     * {@code #@ sessions 3 of s1}: runs a session several times side by side. Already applied to {@link Spec#sessions()}.
     *
     * @param count how many, 2 or more
     * @param session the name as declared
     * @param copies the names of the copies
     */
    record Sessions(int count, String session, List<String> copies, Position at) implements Directive {
        /** Takes a copy of the names. */
        public Sessions {
            copies = List.copyOf(copies);
        }
    }
}
