package dev.tiebreak;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** What only the PostgreSQL driver itself can tell: the one class that knows it. */
final class Driver {
    private Driver() {}

    /** The driver's own connection beneath any wrappers; null if they do not let it through. */
    static @Nullable BaseConnection beneath(Connection connection) {
        try {
            return connection.isWrapperFor(BaseConnection.class) ? connection.unwrap(BaseConnection.class) : null;
        } catch (SQLException e) {
            return null;
        }
    }

    /** Tells a stale plan from any other "feature not supported": the text is translated, the routine's name is not. */
    static boolean isStalePlan(SQLException e) {
        ServerErrorMessage message = e instanceof PSQLException p ? p.getServerErrorMessage() : null;
        return message != null && "RevalidateCachedQuery".equals(message.getRoutine());
    }
}
