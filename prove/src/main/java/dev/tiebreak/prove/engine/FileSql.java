package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.spec.SpecException;
import dev.tiebreak.prove.spec.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Runs what a spec file has done before its race begins, and tells of a fault by the file's line. */
final class FileSql {
    /** The file's setup may fill tables. */
    private static final int SLOWER = 6;

    private final int patience;

    /** How long a session's setup may take, in whole seconds; the file's own may take six times as long. */
    FileSql(Duration patience) {
        this.patience = Math.clamp(patience.toSeconds(), 1, 1_000_000);
    }

    /** Runs a block of the file on a plain connection, for up to six times as long: it may fill tables. */
    void run(Connection on, Sql sql, String what) throws SQLException {
        try (Statement s = on.createStatement()) {
            s.setEscapeProcessing(false);
            s.setQueryTimeout(SLOWER * patience);
            s.execute(sql.text());
            while (s.getMoreResults() || s.getUpdateCount() >= 0) {
                // Nobody wants it.
            }
        } catch (SQLException e) {
            throw fault(sql, what, SLOWER * patience, e);
        }
    }

    /** Runs a session's setup. */
    void run(Link on, Sql sql, String what) {
        try {
            on.run(sql.text(), patience);
        } catch (SQLException e) {
            throw fault(sql, what, patience, e);
        }
    }

    private static SpecException fault(Sql sql, String what, int seconds, SQLException e) {
        return "57014".equals(e.getSQLState())
                ? new SpecException(
                        sql.at(),
                        what + ": it did not return within " + seconds
                                + " s; it runs before the race begins, so it must not wait for another session",
                        e)
                : fault(sql, what, e);
    }

    /** The server's error at its line in the file. */
    static SpecException fault(Sql sql, String what, SQLException e) {
        String message = String.valueOf(e.getMessage());
        int position = 0;
        if (e instanceof PSQLException server && server.getServerErrorMessage() != null) {
            ServerErrorMessage error = server.getServerErrorMessage();
            message = String.valueOf(error.getMessage());
            position = error.getPosition();
        }
        return new SpecException(
                sql.lineOf(position),
                what + ": " + message.lines().findFirst().orElse("") + " (" + e.getSQLState() + ")",
                e);
    }
}
