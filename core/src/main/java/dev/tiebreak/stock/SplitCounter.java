package dev.tiebreak.stock;

import dev.tiebreak.Binds;
import dev.tiebreak.Key;
import dev.tiebreak.internal.Query;
import dev.tiebreak.internal.Savepoint;
import dev.tiebreak.stock.Stock.GiveBack;
import dev.tiebreak.stock.Stock.Rebalance;
import dev.tiebreak.stock.Stock.Take;
import dev.tiebreak.stock.Stock.TakeAll;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** One count over several rows: one shard if it has enough, else all of them under lock; see {@link Stock#split}. */
final class SplitCounter extends Strategy {
    /*
     * A take that fails on its shard must not keep that shard's lock while it locks all shards in order: two such takes would
     * wait for each other. An update that finds no shard with enough locks nothing. An update that found one, waited and
     * missed does hold a lock: then the statement fails on purpose, and the savepoint that travelled with it gives the
     * lock back.
     */
    private static final String DRAINED = "tiebreak: the shard was drained while this take waited for it";

    private final int shards;
    private final Savepoint savepoint = new Savepoint("tiebreak_shard");
    private final String oneShard;
    private final String give;
    private final String rebalance;

    SplitCounter(Count count, int shards) {
        super(count, Level.ANY);
        this.shards = shards;
        String n = Integer.toString(shards);
        String nearest = "mod(mod(t." + count.shardSql() + " - ?, " + n + ") + " + n + ", " + n + ")";
        this.oneShard = count.sql("""
                WITH shard AS MATERIALIZED (
                    SELECT t.{shard} AS id FROM {table} t WHERE {t.key} AND t.{qty} >= ?
                    ORDER BY {nearest} LIMIT 1),
                taken AS (
                    UPDATE {table} t SET {qty} = t.{qty} - ?{raise} FROM shard
                    WHERE {t.key} AND t.{shard} = shard.id AND t.{qty} >= ? RETURNING t.{qty})
                SELECT (SELECT CAST(sum(greatest(t.{qty}, 0)) AS bigint) FROM {table} t WHERE {t.key}) - ?,
                    EXISTS (SELECT FROM taken),
                    CASE WHEN EXISTS (SELECT FROM shard) AND NOT EXISTS (SELECT FROM taken)
                        THEN CAST('{drained} ' || (SELECT id FROM shard) AS integer) END""", level, "nearest", nearest, "drained", DRAINED);
        this.give = count.sql("""
                WITH given AS (
                    UPDATE {table} t SET {qty} = t.{qty} + ?{raise}
                    WHERE {t.key} AND t.{shard} = (
                        SELECT t.{shard} FROM {table} t WHERE {t.key} ORDER BY {nearest} LIMIT 1)
                    RETURNING t.{qty})
                SELECT (SELECT CAST(sum(greatest(t.{qty}, 0)) AS bigint) FROM {table} t WHERE {t.key}) + ?
                WHERE EXISTS (SELECT FROM given)""", level, "nearest", nearest);
        this.rebalance = count.sql("""
                WITH locked AS MATERIALIZED (
                    SELECT t.{shard} AS id, t.{qty} AS qty FROM {table} t WHERE {t.key}
                    ORDER BY t.{shard} FOR NO KEY UPDATE),
                fair AS (
                    SELECT id, qty, CAST(sum(qty) OVER () AS bigint) AS total, count(*) OVER () AS parts,
                        row_number() OVER (ORDER BY id) AS i
                    FROM locked),
                moved AS (
                    UPDATE {table} t
                    SET {qty} = fair.total / fair.parts + CASE WHEN fair.i <= fair.total % fair.parts THEN 1 ELSE 0 END{raise}
                    FROM fair WHERE {t.key} AND t.{shard} = fair.id)
                SELECT max(total) FROM fair HAVING count(*) > 0""", level);
    }

    @Override
    String name() {
        return "split";
    }

    @Override
    Take take(Connection connection, Key key, long n, Attempts attempts) throws SQLException {
        Long left = fromOneShard(connection, key, n);
        if (left != null) {
            return new Take.Taken(left);
        }
        attempts.again();
        return switch (takeAll(connection, Map.of(key, n), attempts)) {
            case TakeAll.TakenAll won -> new Take.Taken(only(won.left()));
            case TakeAll.SoldOut no -> new Take.SoldOut(only(no.left()));
            case TakeAll.Absent no -> new Take.Absent(no.key());
        };
    }

    /** What is left in all, or null if no shard had enough. */
    private @Nullable Long fromOneShard(Connection connection, Key key, long n) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(savepoint.around(connection, oneShard))) {
            Binds binds = new Binds(s);
            binds.add(key);
            binds.add(n);
            binds.add(ThreadLocalRandom.current().nextInt(shards));
            binds.add(n);
            binds.add(key);
            binds.add(n);
            binds.add(key);
            binds.add(n);
            s.execute();
            try (ResultSet rows = Query.result(s, 0)) {
                rows.next();
                return rows.getBoolean(2) ? Long.valueOf(rows.getLong(1)) : null;
            }
        } catch (SQLException e) {
            String message = e.getMessage();
            if (!"22P02".equals(e.getSQLState()) || message == null || !message.contains(DRAINED)) {
                throw e;
            }
        }
        savepoint.undo(connection);
        return null;
    }

    @Override
    GiveBack giveBack(Connection connection, Key key, long n) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(give)) {
            Binds binds = new Binds(s);
            binds.add(n);
            binds.add(key);
            binds.add(key);
            binds.add(ThreadLocalRandom.current().nextInt(shards));
            binds.add(key);
            binds.add(n);
            try (ResultSet rows = s.executeQuery()) {
                return rows.next() ? new GiveBack.GivenBack(rows.getLong(1)) : new GiveBack.Absent(key);
            }
        }
    }

    @Override
    Rebalance rebalance(Connection connection, Key key) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(rebalance)) {
            Binds binds = new Binds(s);
            binds.add(key);
            binds.add(key);
            try (ResultSet rows = s.executeQuery()) {
                return rows.next() ? new Rebalance.Rebalanced(rows.getLong(1)) : new Rebalance.Absent(key);
            }
        }
    }

    private static long only(Map<Key, Long> left) {
        return left.values().iterator().next();
    }
}
