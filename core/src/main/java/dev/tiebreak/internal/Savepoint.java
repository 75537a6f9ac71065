package dev.tiebreak.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.AutoSave;

/**
 * A savepoint that travels with the statement it guards, in the same round trip, and is released with it: however many
 * calls a transaction makes, none piles up. In autocommit there is none, since the statement is its own transaction.
 */
public final class Savepoint {
    private final String name;

    /** A savepoint of this name, which is no input of a user: it becomes SQL as it is. */
    public Savepoint(String name) {
        this.name = name;
    }

    /** The statement between savepoint and release, if the connection is in a transaction. */
    public String around(Connection connection, String sql) throws SQLException {
        return needless(connection) ? sql : "SAVEPOINT " + name + "; " + sql + "; RELEASE SAVEPOINT " + name;
    }

    /** The statement behind a savepoint that stays: its rows tell whether to {@link #release} or to {@link #rollback}. */
    public String before(String sql) {
        return "SAVEPOINT " + name + "; " + sql;
    }

    /** Back to before the statement that failed. */
    public void undo(Connection connection) throws SQLException {
        if (!needless(connection)) {
            rollback(connection);
        }
    }

    /** Back to a savepoint that stayed: the locks taken since are free again. */
    public void rollback(Connection connection) throws SQLException {
        run(connection, "ROLLBACK TO SAVEPOINT " + name + "; RELEASE SAVEPOINT " + name);
    }

    /** Sets it in a round trip of its own. */
    public void set(Connection connection) throws SQLException {
        run(connection, "SAVEPOINT " + name);
    }

    /** Ends a savepoint that stayed, and keeps what was done since. */
    public void release(Connection connection) throws SQLException {
        run(connection, "RELEASE SAVEPOINT " + name);
    }

    /** With {@code autosave=always} the driver has its own, set before each statement, and goes back to it by itself. */
    private static boolean needless(Connection connection) throws SQLException {
        return connection.getAutoCommit()
                || (connection.isWrapperFor(PGConnection.class)
                        && connection.unwrap(PGConnection.class).getAutosave() == AutoSave.ALWAYS);
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement s = connection.createStatement()) {
            s.execute(sql);
        }
    }
}
