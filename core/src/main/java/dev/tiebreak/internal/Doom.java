package dev.tiebreak.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.AutoSave;

/**
 * Takes from a transaction the way to commit: what belongs together was done in part, and whoever catches the exception and
 * commits all the same would keep that part.
 */
public final class Doom {
    private static final String FAILS =
            "SELECT CAST('an effect failed: this transaction can only roll back' AS integer)";

    private Doom() {}

    /** Makes the server refuse to commit it, also under the driver's {@code autosave}; what goes wrong is added to the failure. */
    public static void transaction(Connection connection, Throwable failure) {
        try {
            PGConnection driver =
                    connection.isWrapperFor(PGConnection.class) ? connection.unwrap(PGConnection.class) : null;
            AutoSave own = driver == null ? AutoSave.NEVER : driver.getAutosave();
            if (driver != null) {
                driver.setAutosave(AutoSave.NEVER);
            }
            try (Statement s = connection.createStatement()) {
                s.execute(FAILS);
            } finally {
                if (driver != null) {
                    driver.setAutosave(own);
                }
            }
        } catch (SQLException e) {
            String state = e.getSQLState();
            if (!"22P02".equals(state) && !"25P02".equals(state)) {
                failure.addSuppressed(e);
            }
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
