package dev.tiebreak.stock;

import dev.tiebreak.Key;
import dev.tiebreak.internal.Query;
import dev.tiebreak.internal.Savepoint;
import dev.tiebreak.stock.Stock.TakeAll;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes of several keys, all or nothing, in one statement: lock every row in key order, decide, update.
 *
 * <p>The rows of one key may be several (shards); n then spans them in shard order. Thread-safe; it asks once for the types
 * of the key columns, which is one round trip more on first use.
 */
final class Cart {
    private static final String WANT = """
            WITH want AS MATERIALIZED (
                SELECT w.*, count(*) OVER (PARTITION BY {w.keys}) AS times
                FROM unnest(CAST(? AS bigint[]), {arrays}) WITH ORDINALITY AS w(n, {names}, i)),
            """;

    private static final String LOCK = """
            locked AS MATERIALIZED (
                SELECT w.i, w.n, {columns as names}{shard as name}, t.{qty} AS qty
                FROM {table} t JOIN want w ON {t.join.w}
                WHERE {level} AND NOT EXISTS (SELECT FROM want WHERE times > 1)
                ORDER BY {columns}{order by shard}
                FOR NO KEY UPDATE OF t),
            """;

    private static final String ONE_ROW = "planned AS (SELECT l.*, qty AS total, n AS part FROM locked l),\n";

    private static final String SHARDS = """
            running AS (
                SELECT l.*, CAST(sum(greatest(qty, 0)) OVER (PARTITION BY i) AS bigint) AS total,
                    sum(greatest(qty, 0)) OVER (PARTITION BY i ORDER BY shard) - greatest(qty, 0) AS before
                FROM locked l),
            planned AS (
                SELECT r.*, CAST(least(greatest(qty, 0), greatest(n - before, 0)) AS bigint) AS part FROM running r),
            """;

    private static final String TAKE = """
            lacking AS MATERIALIZED (
                SELECT w.i FROM want w LEFT JOIN planned p ON p.i = w.i WHERE {lacking}),
            taken AS (
                UPDATE {table} t SET {qty} = t.{qty} - p.part{raise} FROM planned p
                WHERE {t.join.p}{same shard} AND p.part > 0 AND NOT EXISTS (SELECT FROM lacking)
                RETURNING p.i)
            SELECT w.i, w.times, f.total, f.parts, (SELECT count(*) FROM taken WHERE taken.i = w.i),
                EXISTS (SELECT FROM lacking), CASE WHEN NOT ({level}) THEN current_setting('transaction_isolation') END
            FROM want w LEFT JOIN (
                SELECT i, max(total) AS total, count(*) FILTER (WHERE part > 0) AS parts FROM planned GROUP BY i) f
                ON f.i = w.i
            ORDER BY w.i""";

    private final Count count;
    private final Level level;
    private final boolean byConstraint;
    private volatile @Nullable Compiled compiled;

    /** With {@code byConstraint} only a missing row is refused here, and the table's constraint decides the rest. */
    Cart(Count count, Level level, boolean byConstraint) {
        this.count = count;
        this.level = level;
        this.byConstraint = byConstraint;
    }

    TakeAll take(Connection connection, Map<Key, Long> wanted, String strategy, @Nullable Savepoint savepoint)
            throws SQLException {
        Compiled ready = compiled(connection);
        String sql = savepoint == null ? ready.take : savepoint.around(connection, ready.take);
        try (PreparedStatement s = connection.prepareStatement(sql)) {
            bind(connection, s, ready, wanted);
            s.execute();
            try (ResultSet rows = Query.result(s, 0)) {
                return read(rows, List.copyOf(wanted.entrySet()), strategy);
            }
        }
    }

    /** Only locks the rows, in key order. */
    void lock(Connection connection, Map<Key, Long> wanted) throws SQLException {
        Compiled ready = compiled(connection);
        try (PreparedStatement s = connection.prepareStatement(ready.lock)) {
            bind(connection, s, ready, wanted);
            s.execute();
        }
    }

    private TakeAll read(ResultSet rows, List<Map.Entry<Key, Long>> wanted, String strategy) throws SQLException {
        Map<Key, Long> left = new LinkedHashMap<>();
        Map<Key, Long> tooFew = new LinkedHashMap<>();
        @Nullable Key absent = null;
        boolean refused = false;
        for (Map.Entry<Key, Long> want : wanted) {
            rows.next();
            Key key = want.getKey();
            if (rows.getString(7) != null) {
                throw level.refusal(strategy, rows.getString(7));
            }
            if (rows.getLong(2) > 1) {
                throw new IllegalArgumentException("the cart names the row of " + key + " twice; nothing was taken");
            }
            refused = rows.getBoolean(6);
            long total = rows.getLong(3);
            if (rows.getObject(4) == null) {
                absent = absent == null ? key : absent;
            } else if (total < want.getValue() && !byConstraint) {
                tooFew.put(key, total);
            } else if (count.shard().isEmpty() && rows.getLong(4) > 1) {
                throw Strategy.notUnique(key);
            } else if (!refused && rows.getLong(5) != rows.getLong(4)) {
                throw Strategy.suppressed(key, total);
            }
            left.put(key, total - want.getValue());
        }
        if (absent != null) {
            return new TakeAll.Absent(absent);
        }
        return refused ? new TakeAll.SoldOut(tooFew) : new TakeAll.TakenAll(left);
    }

    private void bind(Connection connection, PreparedStatement s, Compiled ready, Map<Key, Long> wanted)
            throws SQLException {
        s.setArray(1, connection.createArrayOf("int8", wanted.values().toArray()));
        ready.types.bind(connection, s, 2, new ArrayList<>(wanted.keySet()));
    }

    /** The types of the key's columns, as the catalog says; asked once. */
    KeyTypes types(Connection connection) throws SQLException {
        return compiled(connection).types;
    }

    private Compiled compiled(Connection connection) throws SQLException {
        Compiled known = compiled;
        if (known == null) {
            known = compile(KeyTypes.of(connection, count.table()));
            compiled = known;
        }
        return known;
    }

    private Compiled compile(KeyTypes types) {
        boolean split = !count.shard().isEmpty();
        String[] names = {
            "arrays", types.arrays(),
            "names", types.names(""),
            "w.keys", types.names("w."),
            "columns", types.columns(),
            "columns as names", types.columnsAsNames(),
            "t.join.w", types.join("w."),
            "t.join.p", types.join("p."),
            "lacking", byConstraint ? "p.i IS NULL" : "coalesce(p.total, 0) < w.n",
            "shard as name", split ? ", t." + count.shardSql() + " AS shard" : "",
            "order by shard", split ? ", t." + count.shardSql() : "",
            "same shard", split ? " AND t." + count.shardSql() + " = p.shard" : "",
        };
        String take = count.sql(WANT + LOCK + (split ? SHARDS : ONE_ROW) + TAKE, level, names);
        String lock = count.sql(WANT + LOCK + "done AS (SELECT) SELECT count(*) FROM locked", level, names);
        return new Compiled(types, take, lock);
    }

    private record Compiled(KeyTypes types, String take, String lock) {}
}
