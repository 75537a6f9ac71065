package dev.tiebreak.stock;

import dev.tiebreak.Key;
import dev.tiebreak.Table;
import dev.tiebreak.stock.Stock.Take;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/** A place that sells units of two keys, by whatever means is under test; composite key, names that need quotes. */
abstract class Shop implements AutoCloseable {
    final DataSource pool;
    final Table table;
    final int shards;

    /** Creates the table anew. */
    Shop(DataSource pool, String name, int shards) {
        this.pool = pool;
        this.shards = shards;
        this.table = Table.of("My \"Shop\"", name).keyedBy("org", "Item Id");
        run("CREATE SCHEMA IF NOT EXISTS \"My \"\"Shop\"\"\"");
        run("DROP TABLE IF EXISTS " + table.sql());
        run("CREATE TABLE " + table.sql()
                + " (org integer, \"Item Id\" uuid, shard integer, \"select\" bigint NOT NULL,"
                + " version bigint NOT NULL DEFAULT 0, PRIMARY KEY (org, \"Item Id\", shard))");
    }

    final Key key(int item) {
        return table.key("Item Id", new java.util.UUID(0, item).toString(), "org", item);
    }

    /** Puts units on the shelf, unevenly over the shards if there are several. */
    void stock(int item, long units) {
        run("DELETE FROM " + table.sql() + " WHERE org = " + item);
        for (int shard = 0; shard < shards; shard++) {
            long part = shard == 0 ? units - units / shards * (shards - 1) : units / shards;
            run("INSERT INTO " + table.sql() + " VALUES (" + item + ", '" + new java.util.UUID(0, item) + "', " + shard
                    + ", " + part + ")");
        }
    }

    /** Takes n units and commits, or rolls back after the take where that is possible. */
    abstract Take sell(Key key, long n, boolean rollback) throws Exception;

    abstract void giveBack(Key key, long n) throws Exception;

    /** What another program does that knows nothing of this library; true if it got its unit. */
    boolean foreignTake(Key key) throws SQLException {
        return foreign(key, "-", " AND \"select\" >= 1");
    }

    void foreignGive(Key key) throws SQLException {
        if (!foreign(key, "+", "")) {
            throw new IllegalStateException("nothing to give back to");
        }
    }

    private boolean foreign(Key key, String sign, String condition) throws SQLException {
        try (Connection c = pool.getConnection();
                PreparedStatement s = c.prepareStatement("UPDATE " + table.sql() + " SET \"select\" = \"select\" "
                        + sign + " 1 WHERE org = ? AND shard = ?" + condition)) {
            s.setObject(1, key.values().getFirst());
            s.setInt(2, ThreadLocalRandom.current().nextInt(shards));
            return s.executeUpdate() == 1;
        }
    }

    /** All units of a key; fails if a row is below zero. */
    long left(Key key) throws SQLException {
        try (Connection c = pool.getConnection();
                PreparedStatement s = c.prepareStatement(
                        "SELECT sum(\"select\"), min(\"select\") FROM " + table.sql() + " WHERE org = ?")) {
            s.setObject(1, key.values().getFirst());
            try (ResultSet rows = s.executeQuery()) {
                rows.next();
                if (rows.getLong(2) < 0) {
                    throw new AssertionError("oversold: a row is at " + rows.getLong(2));
                }
                return rows.getLong(1);
            }
        }
    }

    final void run(String sql) {
        try (Connection c = pool.getConnection();
                PreparedStatement s = c.prepareStatement(sql)) {
            s.execute();
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    @Override
    public void close() {}
}
