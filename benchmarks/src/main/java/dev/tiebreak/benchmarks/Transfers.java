package dev.tiebreak.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.tiebreak.Key;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.embedded.Server;
import dev.tiebreak.row.Accounts;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/** Moves between accounts, 16 threads: in one statement, and as it is usually written. Exact: the sum is what it was. */
final class Transfers implements Benchmark {
    private static final Crowd CROWD = new Crowd(16);
    private static final String ONE_STATEMENT = "Accounts.move";
    private static final String BY_HAND = "row by row";
    private static final String BOOKED = " with a ledger";
    private static final long SUM = 1000L * 1_000_000;
    private static final Table ACCOUNT = Table.of("account").keyedBy("id");

    @Override
    public String name() {
        return "transfers";
    }

    @Override
    public String about() {
        return "moves between accounts in one statement, beside locking row by row";
    }

    @Override
    public List<Row> run(Options options) throws Exception {
        Duration warmUp = Duration.ofMillis(options.quick() ? 300 : 1000);
        Duration measured = Duration.ofMillis(options.quick() ? 700 : 2000);
        int repeats = options.quick() ? 1 : 3;
        try (Server server = Server.start(Server.NEWEST);
                HikariDataSource pool = CROWD.pool(server.newDatabase(), 1)) {
            Map<String, Mover> cases = cases(pool);
            Samples samples = new Samples("moves/s");
            for (int repeat = 0; repeat < repeats; repeat++) {
                List<String> names = new ArrayList<>(cases.keySet());
                for (String name : repeat % 2 == 0 ? names : names.reversed()) {
                    for (int accounts : new int[] {2, 1000}) {
                        String full = name + "/" + accounts + " accounts";
                        if (options.wants(full)) {
                            System.err.println("  " + full + ", " + (repeat + 1) + " of " + repeats);
                            samples.add(
                                    full,
                                    measure(pool, Objects.requireNonNull(cases.get(name)), accounts, warmUp, measured));
                        }
                    }
                }
            }
            List<Row> rows = samples.rows();
            for (String accounts : List.of("/2 accounts", "/1000 accounts")) {
                rows.addAll(samples.ratio(ONE_STATEMENT + accounts, BY_HAND + accounts));
                rows.addAll(samples.ratio(ONE_STATEMENT + BOOKED + accounts, BY_HAND + BOOKED + accounts));
            }
            return rows;
        }
    }

    private static Map<String, Mover> cases(HikariDataSource pool) throws SQLException {
        try (Connection c = pool.getConnection();
                Statement s = c.createStatement()) {
            s.execute("CREATE TABLE account (id bigint PRIMARY KEY, cents bigint NOT NULL) WITH (fillfactor = 50);"
                    + " CREATE TABLE transfer (id bigint GENERATED ALWAYS AS IDENTITY, from_id bigint, to_id bigint,"
                    + " cents bigint)");
        }
        Tx tx = Tx.on(pool);
        Accounts accounts = Accounts.of(ACCOUNT, "cents");
        Accounts booked = accounts.ledger(Table.of("transfer"), "from_id", "to_id", "cents");
        Map<String, Mover> cases = new LinkedHashMap<>();
        cases.put(
                ONE_STATEMENT,
                (from, to) -> tx.run(
                        c -> accounts.move(c, account(from), account(to), 1).orRollback()));
        cases.put(BY_HAND, (from, to) -> tx.run(c -> byHand(c, from, to)));
        cases.put(
                ONE_STATEMENT + BOOKED,
                (from, to) -> tx.run(
                        c -> booked.move(c, account(from), account(to), 1).orRollback()));
        cases.put(
                BY_HAND + BOOKED,
                (from, to) -> tx.run(c -> {
                    byHand(c, from, to);
                    update(c, "INSERT INTO transfer (from_id, to_id, cents) VALUES (?, ?, 1)", from, to);
                }));
        return cases;
    }

    private static Key account(long id) {
        return ACCOUNT.key("id", id);
    }

    private static void byHand(Connection c, long from, long to) throws SQLException {
        for (long id : new long[] {Math.min(from, to), Math.max(from, to)}) {
            try (PreparedStatement s = c.prepareStatement("SELECT cents FROM account WHERE id = ? FOR UPDATE")) {
                s.setLong(1, id);
                try (ResultSet rows = s.executeQuery()) {
                    if (!rows.next() || (id == from && rows.getLong(1) < 1)) {
                        throw new IllegalStateException("not enough in account " + id);
                    }
                }
            }
        }
        update(c, "UPDATE account SET cents = cents - 1 WHERE id = ?", from);
        update(c, "UPDATE account SET cents = cents + 1 WHERE id = ?", to);
    }

    private static void update(Connection c, String sql, long... values) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                s.setLong(i + 1, values[i]);
            }
            s.executeUpdate();
        }
    }

    private static Samples.Sample measure(
            HikariDataSource pool, Mover mover, int accounts, Duration warmUp, Duration measured) throws Exception {
        try (Connection c = pool.getConnection();
                Statement s = c.createStatement()) {
            s.execute("TRUNCATE account, transfer; INSERT INTO account SELECT i, " + SUM / accounts
                    + " FROM generate_series(1, " + accounts + ") i; ANALYZE account");
            s.execute("CHECKPOINT");
        }
        Crowd.Done done = CROWD.keepUp(warmUp, measured, thread -> {
            int from = ThreadLocalRandom.current().nextInt(accounts);
            int to = (from + 1 + ThreadLocalRandom.current().nextInt(accounts - 1)) % accounts;
            mover.move(from + 1L, to + 1L);
        });
        try (Connection c = pool.getConnection();
                Statement s = c.createStatement();
                ResultSet rows = s.executeQuery("SELECT sum(cents), min(cents) FROM account")) {
            boolean exact = rows.next() && rows.getLong(1) == SUM / accounts * accounts && rows.getLong(2) >= 0;
            return new Samples.Sample(done.perSecond(), exact);
        }
    }

    private interface Mover {
        void move(long from, long to) throws Exception;
    }
}
