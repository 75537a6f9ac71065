package dev.tiebreak.stock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Knows when a session of this database waits for a lock, so that no test has to sleep. */
final class Waiting {
    private Waiting() {}

    /** Returns once this many sessions wait for a lock; fails after 20 s. */
    static void sessions(DataSource source, int wanted) throws SQLException {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        try (Connection c = source.getConnection();
                PreparedStatement s = c.prepareStatement("SELECT count(*) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND wait_event_type = 'Lock'")) {
            while (true) {
                try (ResultSet rows = s.executeQuery()) {
                    rows.next();
                    if (rows.getInt(1) >= wanted) {
                        return;
                    }
                }
                if (System.nanoTime() > end) {
                    throw new AssertionError("nobody waited for a lock");
                }
                Thread.onSpinWait();
            }
        }
    }
}
