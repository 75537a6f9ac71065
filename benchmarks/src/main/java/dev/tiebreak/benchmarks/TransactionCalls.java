package dev.tiebreak.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tiebreak.Tx;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One UPDATE in a transaction: through {@link Tx} and by hand, with a server and without. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TransactionCalls {
    /** Where the forked JVM finds the server. */
    static final String URL = "tiebreak.benchmarks.url";

    private static final String UPDATE = "UPDATE counter SET n = n + 1";

    /** A driver that does nothing, so that only the code around it is left to measure. */
    @State(Scope.Thread)
    public static class Nothing {
        private final DataSource source = IdleDriver.source();
        private final Tx tx = Tx.on(source);
    }

    /** A pool of one connection to a real server, whose row counts the calls. */
    @State(Scope.Thread)
    public static class Server {
        private final HikariDataSource pool = new HikariDataSource(config());
        private final Tx tx = Tx.on(pool);
        private long calls;

        private static HikariConfig config() {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(System.getProperty(URL));
            config.setMaximumPoolSize(1);
            return config;
        }

        /** Begins to count at zero. */
        @Setup
        public void begin() throws SQLException {
            try (Connection c = pool.getConnection();
                    Statement s = c.createStatement()) {
                s.execute(
                        "DROP TABLE IF EXISTS counter; CREATE TABLE counter (n bigint); INSERT INTO counter VALUES (0)");
            }
        }

        /** Fails the run unless the server has committed every call. */
        @TearDown
        public void prove() throws SQLException {
            try (pool;
                    Connection c = pool.getConnection();
                    Statement s = c.createStatement();
                    ResultSet rows = s.executeQuery("SELECT n FROM counter")) {
                if (!rows.next() || rows.getLong(1) != calls) {
                    throw new IllegalStateException(calls + " calls, but the server has another count");
                }
            }
        }
    }

    /** As a careful program would write it. */
    private static int byHand(DataSource source) throws SQLException {
        try (Connection c = source.getConnection()) {
            c.setAutoCommit(false);
            try {
                int updated = update(c);
                c.commit();
                return updated;
            } catch (Throwable t) {
                c.rollback();
                throw t;
            } finally {
                c.setAutoCommit(true);
            }
        }
    }

    private static int update(Connection c) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(UPDATE)) {
            return s.executeUpdate();
        }
    }

    /** Without a server, by hand. */
    @Benchmark
    public int nothingByHand(Nothing nothing) throws SQLException {
        return byHand(nothing.source);
    }

    /** Without a server, through the runner. */
    @Benchmark
    public int nothingTx(Nothing nothing) {
        return nothing.tx.call(TransactionCalls::update);
    }

    /** With a server, by hand. */
    @Benchmark
    public int serverByHand(Server server) throws SQLException {
        server.calls++;
        return byHand(server.pool);
    }

    /** With a server, through the runner. */
    @Benchmark
    public int serverTx(Server server) {
        server.calls++;
        return server.tx.call(TransactionCalls::update);
    }
}
