package dev.tiebreak.lock;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A connection for single statements that commit by themselves; goes back to its pool as it came. */
record Borrowed(Connection connection, boolean autoCommit) implements AutoCloseable {

    static Borrowed from(DataSource source) throws SQLException {
        Connection connection = source.getConnection();
        try {
            boolean autoCommit = connection.getAutoCommit();
            if (!autoCommit) {
                connection.setAutoCommit(true);
            }
            return new Borrowed(connection, autoCommit);
        } catch (SQLException | RuntimeException e) {
            try (connection) {
                throw e;
            }
        }
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            if (!autoCommit && !connection.isClosed()) {
                connection.setAutoCommit(false);
            }
        }
    }
}
