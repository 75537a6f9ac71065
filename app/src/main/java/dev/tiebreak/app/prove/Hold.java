package dev.tiebreak.app.prove;

import dev.tiebreak.app.Database;
import dev.tiebreak.prove.SetupException;
import dev.tiebreak.prove.SpecProof;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * A proof's connections to somebody's server, and what becomes of them on Ctrl-C: the proof is asked to end after the run
 * under way; if it does not within two seconds, its connections are ended and its schema is dropped in its place.
 */
final class Hold implements AutoCloseable {
    private static final int GRACE_SECONDS = 2;

    private final DataSource source;
    private final String name = "tiebreak prove " + UUID.randomUUID().toString().substring(0, 8);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread onInterrupt = new Thread(this::end, "tiebreak-prove-end");
    private volatile boolean interrupted;

    private Hold(Database database) {
        this.source = database.proving(name);
    }

    static Hold on(Database database) {
        Hold hold = new Hold(database);
        if (!database.isEmbedded()) { // an embedded one goes as a whole
            Runtime.getRuntime().addShutdownHook(hold.onInterrupt);
        }
        return hold;
    }

    /** The connections to prove with. */
    DataSource source() {
        return source;
    }

    /** Ends the proof that asks, if the process is going down. */
    void check() {
        if (interrupted) {
            throw new SetupException("interrupted");
        }
    }

    private void end() {
        interrupted = true;
        try {
            if (!ended.await(GRACE_SECONDS, TimeUnit.SECONDS)) {
                endConnections();
                SpecProof.dropLeftovers(source);
            }
        } catch (SQLException | SetupException e) {
            // The server does not answer; the next proof on it drops what is left.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void endConnections() throws SQLException {
        try (Connection c = source.getConnection();
                PreparedStatement s = c.prepareStatement("""
                        SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
                         WHERE application_name = ? AND usename = current_user AND pid <> pg_backend_pid()""")) {
            s.setString(1, name);
            s.execute();
        }
    }

    /** The proof has ended and dropped its schema. */
    @Override
    public void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(onInterrupt);
        } catch (IllegalStateException e) {
            // It is running, and has just been told that there is nothing left to do.
        }
    }
}
