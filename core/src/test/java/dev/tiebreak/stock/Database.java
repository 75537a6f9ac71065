package dev.tiebreak.stock;

import dev.tiebreak.Key;
import dev.tiebreak.Table;
import dev.tiebreak.embedded.Server;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** Two small tables, made anew in the one database that these tests share a version, and what tests do with them. */
final class Database {
    static final Table STOCK = Table.of("stock").keyedBy("id");

    private static final Map<Integer, String> URLS = new ConcurrentHashMap<>();

    final DataSource source;

    Database(int pg) throws SQLException {
        source =
                Server.dataSource(URLS.computeIfAbsent(pg, v -> Server.shared(v).newDatabase()));
        run("""
            DROP SCHEMA public CASCADE;
            CREATE SCHEMA public;
            CREATE TABLE stock (id bigint, shard int NOT NULL DEFAULT 0, qty int NOT NULL, version int NOT NULL DEFAULT 0,
                PRIMARY KEY (id, shard));
            CREATE TABLE note (text text)""");
    }

    static Key key(long id) {
        return STOCK.key("id", id);
    }

    void stock(long id, int... shards) throws SQLException {
        run("DELETE FROM stock WHERE id = " + id);
        for (int i = 0; i < shards.length; i++) {
            run("INSERT INTO stock (id, shard, qty) VALUES (" + id + ", " + i + ", " + shards[i] + ")");
        }
    }

    void run(String sql) throws SQLException {
        try (Connection c = source.getConnection()) {
            run(c, sql);
        }
    }

    static void run(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    long ask(String sql) throws SQLException {
        try (Connection c = source.getConnection()) {
            return ask(c, sql);
        }
    }

    static long ask(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement();
                ResultSet rows = s.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    long qty(long id) throws SQLException {
        return ask("SELECT sum(qty) FROM stock WHERE id = " + id);
    }

    /** A connection in a transaction of its own at this level. */
    Connection open(int level) throws SQLException {
        Connection c = source.getConnection();
        c.setTransactionIsolation(level);
        c.setAutoCommit(false);
        return c;
    }

    Connection open() throws SQLException {
        return open(Connection.TRANSACTION_READ_COMMITTED);
    }

    /** Runs on another thread. */
    static <R> CompletableFuture<R> beside(java.util.concurrent.Callable<R> act) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                answer.complete(act.call());
            } catch (Throwable e) {
                answer.completeExceptionally(e);
            }
        });
        return answer.orTimeout(60, TimeUnit.SECONDS);
    }
}
