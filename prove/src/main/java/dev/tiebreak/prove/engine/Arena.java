package dev.tiebreak.prove.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Where a race is run: the database, the sessions' connections, and the way back to the start. */
interface Arena extends AutoCloseable {
    /** Names of the sessions. */
    List<String> sessions();

    /** What each session does; one script is played once a run. */
    List<Actor.Script> scripts();

    /** A connection that takes no part in the race. */
    Connection control();

    /** The tables. */
    Catalog catalog();

    /** Whether the sessions' deadlock timeouts could be set, each longer than the one before. */
    boolean staggered();

    /** Whether every step is a turn of its own, also one that nobody else can notice. */
    boolean exact();

    /** Gives deadlocks more time to be closed before the server looks for them. */
    void slowDeadlocks() throws SQLException;

    /** The isolation levels that the sessions ask for. */
    List<Level> levels();

    /**
     * Puts everything back to the start of a run.
     *
     * @param flush whether the sessions have to begin without statistics of earlier transactions
     */
    void reset(List<Actor> actors, boolean flush) throws SQLException;

    /** Moves all sequences by 1,000; after {@link #reset}. */
    void shift() throws SQLException;

    /** The rows as they are. */
    State state() throws SQLException;

    /** Grows whenever more tables are compared than before: then runs are not comparable with earlier ones. */
    int generation();

    /** Gives up shortcuts that may have made two runs differ; false if there were none. */
    boolean slower() throws SQLException;

    @Override
    void close() throws SQLException;
}
