package dev.tiebreak.benchmarks;

import dev.tiebreak.Tx;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One UPDATE in a transaction: through {@link Tx} and by hand; under JMH, without a server. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TransactionCalls {
    private static final String UPDATE = "UPDATE counter SET n = n + 1";

    /** A driver that does nothing, so that only the code around it is left to measure. */
    @State(Scope.Thread)
    public static class Nothing {
        private final DataSource source = IdleDriver.source();
        private final Tx tx = Tx.on(source);
    }

    /** As a careful program would write it. */
    static int byHand(DataSource source) throws SQLException {
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

    static int update(Connection c) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(UPDATE)) {
            return s.executeUpdate();
        }
    }

    /** By hand. */
    @Benchmark
    public int byHandOnNothing(Nothing nothing) throws SQLException {
        return byHand(nothing.source);
    }

    /** Through the runner. */
    @Benchmark
    public int txOnNothing(Nothing nothing) {
        return nothing.tx.call(TransactionCalls::update);
    }
}
