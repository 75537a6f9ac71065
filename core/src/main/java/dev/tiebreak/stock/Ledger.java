package dev.tiebreak.stock;

import dev.tiebreak.Binds;
import dev.tiebreak.Key;
import dev.tiebreak.Table;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A writer's connection, and the statements that settle a batch on it. Used by the writer's thread alone, but for {@link
 * #cancel()}.
 */
final class Ledger {
    /** After a pause this long the connection is asked whether it lives, before a batch is risked on it. */
    private static final long IDLE = Duration.ofSeconds(1).toNanos();

    /*
     * Every key of a batch is found through its unique index, by a plan that is made once: no statistics, however stale, may
     * turn that into a scan, and planning must not cost more than the batch of one that a writer often has.
     */
    private static final Map<String, String> PLAN = Map.of(
            "plan_cache_mode", "force_generic_plan",
            "enable_seqscan", "off",
            "enable_hashjoin", "off",
            "enable_mergejoin", "off",
            "jit", "off");

    private static final String WANT = """
            WITH want AS MATERIALIZED (
                SELECT * FROM unnest(CAST(? AS bigint[]), CAST(? AS bigint[]), {arrays})
                    WITH ORDINALITY AS w(total, each, {names}, i)),
            locked AS MATERIALIZED (
                SELECT w.*, CAST(t.{qty} AS bigint) AS qty
                FROM {table} t JOIN want w ON {t.join.w}
                ORDER BY {columns} FOR NO KEY UPDATE OF t{skip})
            """;

    // A row that is there but was not locked has been deleted since, or another key of the batch names it, too: look
    // again.
    // What is granted is decided on the newest version of the row, under its lock; the update then follows the row
    // there.
    private static final String SETTLE = """
            , granted AS MATERIALIZED (
                SELECT l.*, CASE WHEN qty >= total THEN total WHEN each > 0 AND qty > 0 THEN qty / each * each ELSE 0 END
                    AS units
                FROM locked l),
            taken AS (
                UPDATE {table} t SET {qty} = t.{qty} - g.units{raise} FROM granted g
                WHERE {t.join.g} AND g.units > 0 RETURNING 1)
            SELECT w.i, g.qty, g.units, g.i IS NULL AND EXISTS (SELECT FROM {table} t WHERE {t.join.w}),
                CASE WHEN (SELECT count(*) FROM taken) <> (SELECT count(*) FROM granted WHERE units > 0)
                    THEN CAST('tiebreak: a trigger suppressed an update; rows: '
                        || (SELECT count(*) FROM taken) AS integer) END
            FROM want w LEFT JOIN granted g ON g.i = w.i""";

    private static final String PUT = """
            UPDATE {table} t SET {qty} = t.{qty} - w.units{raise}
            FROM unnest(CAST(? AS bigint[]), {arrays}) AS w(units, {names}) WHERE {t.join.w} AND w.units > 0""";

    private final DataSource dataSource;
    private final Count count;
    private final Map<String, String> settings;
    private final int networkTimeout;
    private final Map<String, String> before = new TreeMap<>();
    private volatile @Nullable Connection connection;
    private volatile @Nullable PreparedStatement running;
    private @Nullable Compiled compiled;
    private int isolationBefore;
    private boolean autoCommitBefore;
    private int networkTimeoutBefore;
    private long used;

    Ledger(DataSource dataSource, Count count, BatchingWriter.Options options) {
        this.dataSource = dataSource;
        this.count = count;
        long lock = options.lockWait().toMillis();
        long statement = lock + Math.max(1000, options.deadline().toMillis());
        this.settings = new TreeMap<>(PLAN);
        this.settings.put("lock_timeout", lock + "ms");
        this.settings.put("statement_timeout", statement + "ms");
        this.networkTimeout = Math.toIntExact(Math.min(statement + 5000, Integer.MAX_VALUE));
    }

    /** Has a living connection. What fails here has sent nothing of a batch. */
    void connect() throws SQLException {
        Connection current = connection;
        if (current != null) {
            if (System.nanoTime() - used < IDLE || current.isValid(2)) {
                return;
            }
            discard();
        }
        Connection fresh = dataSource.getConnection();
        try {
            isolationBefore = fresh.getTransactionIsolation();
            networkTimeoutBefore = fresh.getNetworkTimeout();
            autoCommitBefore = fresh.getAutoCommit();
            if (!autoCommitBefore) {
                fresh.rollback();
                fresh.setAutoCommit(true);
            }
            fresh.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            fresh.setNetworkTimeout(Runnable::run, networkTimeout);
            remember(fresh);
            set(fresh, settings);
            compiled = compile(fresh);
            connection = fresh;
            used = System.nanoTime();
        } catch (SQLException e) {
            try {
                fresh.close();
            } catch (SQLException again) {
                e.addSuppressed(again);
            }
            throw e;
        }
    }

    /**
     * Settles what one statement can; it is committed, and answered, when this returns. Not answered are different numbers that
     * do not all fit, and keys whose row must be looked for again.
     */
    void settle(List<Group> groups, boolean skipLocked, int attempts) throws SQLException {
        Compiled ready = compiled();
        String sql = skipLocked ? ready.skipLocked : ready.settle;
        long[][] found = new long[groups.size()][];
        try (PreparedStatement s = prepare(sql)) {
            bindWanted(s, groups);
            try (ResultSet rows = s.executeQuery()) {
                while (rows.next()) {
                    int i = rows.getInt(1) - 1;
                    long qty = rows.getLong(2);
                    found[i] = rows.wasNull()
                            ? new long[] {rows.getBoolean(4) ? 1 : 0}
                            : new long[] {qty, rows.getLong(3)};
                }
            }
        }
        used = System.nanoTime();
        for (int i = 0; i < found.length; i++) {
            Group group = groups.get(i);
            if (found[i].length == 2) {
                group.answer(found[i][0], found[i][1]);
            } else if (found[i][0] == 0) {
                group.answerAbsent();
            } else if (skipLocked) {
                group.answerBusy(attempts);
            }
        }
    }

    /** Locks, decides first come first served, updates, commits; for different numbers that do not all fit. */
    void settleInTurn(List<Group> groups) throws SQLException {
        Compiled ready = compiled();
        Connection current = connected();
        Long[] found = new Long[groups.size()];
        current.setAutoCommit(false);
        try {
            try (PreparedStatement s = prepare(ready.lock)) {
                bindWanted(s, groups);
                try (ResultSet rows = s.executeQuery()) {
                    while (rows.next()) {
                        found[rows.getInt(1) - 1] = rows.getLong(2);
                    }
                }
            }
            Long[] units = new Long[found.length];
            for (int i = 0; i < found.length; i++) {
                units[i] = found[i] == null ? 0 : groups.get(i).inTurn(found[i]);
            }
            try (PreparedStatement s = prepare(ready.put)) {
                s.setArray(1, current.createArrayOf("int8", units));
                ready.types.bind(current, s, 2, keys(groups));
                s.executeUpdate();
            }
            current.commit();
        } catch (SQLException e) {
            rollback(current, e);
            throw e;
        } finally {
            if (!current.isClosed()) {
                current.setAutoCommit(true);
            }
        }
        used = System.nanoTime();
        for (int i = 0; i < found.length; i++) {
            if (found[i] == null) {
                groups.get(i).answerAbsent();
            } else {
                groups.get(i).answerInTurn(found[i]);
            }
        }
    }

    /** What the row holds now; 0 if it is gone. */
    long left(Key key) throws SQLException {
        try (PreparedStatement s = prepare(count.sql("SELECT t.{qty} FROM {table} t WHERE {t.key}", Level.ANY))) {
            new Binds(s).add(key);
            try (ResultSet rows = s.executeQuery()) {
                return rows.next() ? rows.getLong(1) : 0;
            }
        }
    }

    /** Asks the server to end the statement that runs; from another thread. */
    void cancel() {
        PreparedStatement current = running;
        if (current != null) {
            try {
                current.cancel();
            } catch (SQLException e) {
                // It has ended by itself, or the connection has: the writer will see which.
            }
        }
    }

    /** Ends the connection without a word to the server, from any thread. */
    void abort() {
        Connection current = connection;
        if (current != null) {
            try {
                current.abort(Runnable::run);
            } catch (SQLException e) {
                // It was dead already.
            }
        }
    }

    boolean lost() {
        Connection current = connection;
        try {
            return current == null || current.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    /** Throws the connection away. */
    void discard() {
        abort();
        Connection current = connection;
        connection = null;
        if (current != null) {
            try {
                current.close();
            } catch (SQLException e) {
                // It is dead; the pool replaces it.
            }
        }
    }

    /** Gives the connection back as it was. */
    void giveBack() {
        Connection current = connection;
        if (current == null) {
            return;
        }
        connection = null;
        try (current) {
            set(current, before);
            current.setTransactionIsolation(isolationBefore);
            current.setNetworkTimeout(Runnable::run, networkTimeoutBefore);
            current.setAutoCommit(autoCommitBefore);
        } catch (SQLException e) {
            // Nothing is under way on it; if it cannot be put in order, the pool replaces it.
        }
    }

    private static void rollback(Connection current, SQLException failure) {
        try {
            current.rollback();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    private void bindWanted(PreparedStatement s, List<Group> groups) throws SQLException {
        Connection current = connected();
        s.setArray(
                1,
                current.createArrayOf("int8", groups.stream().map(g -> g.total).toArray(Long[]::new)));
        s.setArray(
                2,
                current.createArrayOf("int8", groups.stream().map(g -> g.each).toArray(Long[]::new)));
        compiled().types.bind(current, s, 3, keys(groups));
    }

    private static List<Key> keys(List<Group> groups) {
        return groups.stream().map(g -> g.key).toList();
    }

    private PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement s = connected().prepareStatement(sql);
        running = s;
        return s;
    }

    private Connection connected() throws SQLException {
        Connection current = connection;
        if (current == null) {
            throw new SQLException("the connection was closed", "08003");
        }
        return current;
    }

    private Compiled compiled() {
        Compiled ready = compiled;
        if (ready == null) {
            throw new IllegalStateException("connect() comes first");
        }
        return ready;
    }

    private void remember(Connection fresh) throws SQLException {
        before.clear();
        try (PreparedStatement s =
                fresh.prepareStatement("SELECT name, current_setting(name) FROM unnest(CAST(? AS text[])) AS name")) {
            s.setArray(1, fresh.createArrayOf("text", settings.keySet().toArray(String[]::new)));
            try (ResultSet rows = s.executeQuery()) {
                while (rows.next()) {
                    before.put(rows.getString(1), rows.getString(2));
                }
            }
        }
    }

    private static void set(Connection target, Map<String, String> values) throws SQLException {
        try (PreparedStatement s = target.prepareStatement("SELECT set_config(name, value, false)"
                + " FROM unnest(CAST(? AS text[]), CAST(? AS text[])) AS s(name, value)")) {
            s.setArray(1, target.createArrayOf("text", values.keySet().toArray(String[]::new)));
            s.setArray(2, target.createArrayOf("text", values.values().toArray(String[]::new)));
            s.execute();
        }
    }

    private Compiled compile(Connection fresh) throws SQLException {
        KeyTypes types = KeyTypes.of(fresh, count.table());
        requireUniqueKey(fresh);
        String[] names = {
            "arrays", types.arrays(),
            "names", types.names(""),
            "columns", types.columns(),
            "t.join.w", types.join("w."),
            "t.join.g", types.join("g."),
        };
        return new Compiled(
                types,
                count.sql(WANT.replace("{skip}", "") + SETTLE, Level.ANY, names),
                count.sql(WANT.replace("{skip}", " SKIP LOCKED") + SETTLE, Level.ANY, names),
                count.sql(WANT.replace("{skip}", "") + "SELECT i, qty FROM locked", Level.ANY, names),
                count.sql(PUT, Level.ANY, names));
    }

    /** Only a unique index makes sure that a key is one row, and it is what every batch goes through. */
    private void requireUniqueKey(Connection fresh) throws SQLException {
        Table table = count.table();
        String sql = """
                SELECT count(*) FROM pg_index i
                WHERE i.indrelid = CAST(? AS regclass) AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
                    AND NOT EXISTS (
                        SELECT FROM generate_series(0, i.indnkeyatts - 1) AS at LEFT JOIN pg_attribute a
                            ON a.attrelid = i.indrelid AND a.attnum = i.indkey[at]
                        WHERE a.attname IS NULL OR a.attname <> ALL (CAST(? AS text[])))""";
        try (PreparedStatement s = fresh.prepareStatement(sql)) {
            s.setString(1, table.sql());
            s.setArray(2, fresh.createArrayOf("text", table.keyColumns().toArray(String[]::new)));
            try (ResultSet rows = s.executeQuery()) {
                rows.next();
                if (rows.getLong(1) == 0) {
                    throw new SQLException(
                            "a batching writer needs a unique index on " + table + table.keyColumns()
                                    + ", and there is none",
                            "42830");
                }
            }
        }
    }

    private record Compiled(KeyTypes types, String settle, String skipLocked, String lock, String put) {}
}
