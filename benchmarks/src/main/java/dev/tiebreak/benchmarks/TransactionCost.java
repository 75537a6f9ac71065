package dev.tiebreak.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tiebreak.Tx;
import dev.tiebreak.embedded.Server;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * What the runner itself costs: the same UPDATE in the same transaction, through {@code Tx} and by hand.
 *
 * <p>Without a network, on a driver that does nothing, under JMH: each repeat is a JVM of its own, the cases take turns, in
 * reversed order every other repeat. With a server, in one JVM on one connection of a pool: blocks of calls take turns, and
 * each repeat is the median of its blocks, since the noise of a round trip is many times what is looked for. The server
 * commits without waiting for the disk, into a table without a log.
 */
final class TransactionCost implements Benchmark {
    private static final int BLOCK = 50;

    private long updated;

    @Override
    public String name() {
        return "tx";
    }

    @Override
    public String about() {
        return "what Tx costs a call, against the same JDBC by hand";
    }

    @Override
    public List<Row> run(Options options) throws RunnerException, SQLException {
        List<Row> rows = new ArrayList<>();
        if (options.wants("no-network")) {
            rows.addAll(onNothing(options.quick()));
        }
        if (options.wants("server")) {
            rows.addAll(onServer(options.quick()));
        }
        return rows;
    }

    private static List<Row> onNothing(boolean quick) throws RunnerException {
        int repeats = quick ? 3 : 7;
        double[] byHand = new double[repeats];
        double[] tx = new double[repeats];
        for (int i = 0; i < repeats; i++) {
            System.err.println("tx: no network, " + (i + 1) + " of " + repeats);
            if (i % 2 == 0) {
                byHand[i] = jmh("byHandOnNothing", quick);
                tx[i] = jmh("txOnNothing", quick);
            } else {
                tx[i] = jmh("txOnNothing", quick);
                byHand[i] = jmh("byHandOnNothing", quick);
            }
        }
        return rows("no-network", true, byHand, tx);
    }

    private static double jmh(String method, boolean quick) throws RunnerException {
        OptionsBuilder options = new OptionsBuilder();
        if (Runtime.version().feature() >= 24) {
            options.jvmArgsAppend("--sun-misc-unsafe-memory-access=allow"); // what JMH does would be warned about
        }
        options.include(TransactionCalls.class.getName() + "\\." + method + "$")
                .forks(1)
                .warmupIterations(quick ? 1 : 3)
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(quick ? 1 : 3)
                .measurementTime(TimeValue.seconds(1))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        return new Runner(options.build()).runSingle().getPrimaryResult().getScore();
    }

    private List<Row> onServer(boolean quick) throws SQLException {
        int repeats = quick ? 3 : 7;
        int blocks = quick ? 250 : 1_000;
        double[] byHand = new double[repeats];
        double[] tx = new double[repeats];
        HikariConfig config = new HikariConfig();
        config.setMaximumPoolSize(1);
        try (Server server = Server.start(Server.NEWEST, Map.of("synchronous_commit", "off"))) {
            config.setJdbcUrl(server.newDatabase());
            try (HikariDataSource pool = new HikariDataSource(config)) {
                execute(pool, "CREATE UNLOGGED TABLE counter (n bigint)", "INSERT INTO counter VALUES (0)");
                Tx runner = Tx.on(pool);
                for (int i = -1; i < repeats; i++) {
                    System.err.println(i < 0 ? "tx: server, warming up" : "tx: server, " + (i + 1) + " of " + repeats);
                    execute(pool, "UPDATE counter SET n = 0", "VACUUM counter");
                    updated = 0;
                    double[][] each = alternately(pool, runner, blocks);
                    if (updated != 2L * blocks * BLOCK || committed(pool) != updated) {
                        return rows("server", false, byHand, tx);
                    }
                    if (i >= 0) {
                        byHand[i] = median(each[0]);
                        tx[i] = median(each[1]);
                    }
                }
            }
        }
        return rows("server", true, byHand, tx);
    }

    /** Nanoseconds a call, block by block: by hand, and through the runner. */
    private double[][] alternately(HikariDataSource pool, Tx tx, int blocks) throws SQLException {
        double[][] each = new double[2][blocks];
        for (int b = 0; b < blocks; b++) {
            for (int turn = 0; turn < 2; turn++) {
                boolean runner = (b + turn) % 2 == 0;
                long start = System.nanoTime();
                for (int n = 0; n < BLOCK; n++) {
                    updated += runner ? tx.call(TransactionCalls::update) : TransactionCalls.byHand(pool);
                }
                each[runner ? 1 : 0][b] = (double) (System.nanoTime() - start) / BLOCK;
            }
        }
        return each;
    }

    private static List<Row> rows(String where, boolean exact, double[] byHand, double[] tx) {
        double[] difference = new double[tx.length];
        Arrays.setAll(difference, i -> tx[i] - byHand[i]);
        return List.of(
                Row.median(where + "/by-hand", "ns/op", exact, byHand),
                Row.median(where + "/tx", "ns/op", exact, tx),
                Row.median(where + "/tx-minus-by-hand", "ns/op", exact, difference));
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static void execute(HikariDataSource pool, String... statements) throws SQLException {
        try (Connection c = pool.getConnection();
                Statement s = c.createStatement()) {
            for (String each : statements) {
                s.execute(each);
            }
        }
    }

    private static long committed(HikariDataSource pool) throws SQLException {
        try (Connection c = pool.getConnection();
                Statement s = c.createStatement();
                ResultSet rows = s.executeQuery("SELECT n FROM counter")) {
            return rows.next() ? rows.getLong(1) : -1;
        }
    }
}
