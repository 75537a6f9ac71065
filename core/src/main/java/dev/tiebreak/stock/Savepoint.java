package dev.tiebreak.stock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.AutoSave;

/**
 * A savepoint that travels with the statement it guards, in the same round trip, and is released with it: however many
 * takes a transaction makes, none piles up. In autocommit there is none, since the statement is its own transaction.
 */
final class Savepoint {
    private final String name;

    Savepoint(String name) {
        this.name = name;
    }

    /** The statement between savepoint and release, if the connection is in a transaction. */
    String around(Connection connection, String sql) throws SQLException {
        return needless(connection) ? sql : "SAVEPOINT " + name + "; " + sql + "; RELEASE SAVEPOINT " + name;
    }

    /** Back to before the statement that failed. */
    void undo(Connection connection) throws SQLException {
        if (!needless(connection)) {
            rollback(connection);
        }
    }

    void rollback(Connection connection) throws SQLException {
        run(connection, "ROLLBACK TO SAVEPOINT " + name + "; RELEASE SAVEPOINT " + name);
    }

    void set(Connection connection) throws SQLException {
        run(connection, "SAVEPOINT " + name);
    }

    void release(Connection connection) throws SQLException {
        run(connection, "RELEASE SAVEPOINT " + name);
    }

    /** The first result of an executed statement that has rows. */
    static ResultSet result(PreparedStatement executed) throws SQLException {
        ResultSet rows = executed.getResultSet();
        while (rows == null) {
            if (!executed.getMoreResults() && executed.getUpdateCount() == -1) {
                throw new SQLException("the statement answered no rows");
            }
            rows = executed.getResultSet();
        }
        return rows;
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
