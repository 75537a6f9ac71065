package dev.tiebreak;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tiebreak.embedded.Server;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A schema of its own for one test, the ways to reach it, and short forms of JDBC. */
final class Db implements AutoCloseable {
    /** How a program gets its connections. */
    enum Reach {
        PLAIN,
        POOL,
        POOL_WITHOUT_AUTO_COMMIT,
        /** A wrapper that hides the driver's connection. */
        OPAQUE
    }

    private static final ConcurrentHashMap<Integer, String> DATABASES = new ConcurrentHashMap<>();
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    final String url;
    final DataSource source;

    Db(int major, Reach reach) {
        this(major, reach, "");
    }

    /** @param properties of the driver, such as {@code "autosave=always"} */
    Db(int major, Reach reach, String properties) {
        String database = DATABASES.computeIfAbsent(major, m -> Server.shared(m).newDatabase());
        String schema = "test_" + SCHEMAS.incrementAndGet();
        String separator = database.contains("?") ? "&" : "?";
        url = database + separator + "currentSchema=" + schema + (properties.isEmpty() ? "" : "&" + properties);
        run("CREATE SCHEMA " + schema);
        source = switch (reach) {
            case PLAIN -> plain(url);
            case POOL -> pool(url, 8, true);
            case POOL_WITHOUT_AUTO_COMMIT -> pool(url, 8, false);
            case OPAQUE -> opaque(plain(url));
        };
    }

    static DataSource plain(String url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        return source;
    }

    static HikariDataSource pool(String url, int size, boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(plain(url));
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(5_000);
        config.setAutoCommit(autoCommit);
        return new HikariDataSource(config);
    }

    private static DataSource opaque(DataSource inner) {
        return wrap(
                DataSource.class,
                inner,
                "getConnection",
                c -> wrap(Connection.class, (Connection) c, "unwrap", u -> {
                    throw new AssertionError("unwrapped");
                }));
    }

    private interface Replace {
        Object with(Object result);
    }

    private static <T> T wrap(Class<T> type, T inner, String method, Replace replace) {
        return type.cast(Proxy.newProxyInstance(Db.class.getClassLoader(), new Class<?>[] {type}, (p, m, args) -> {
            if (m.getName().equals("isWrapperFor")) {
                return false;
            }
            try {
                Object result = m.invoke(inner, args);
                return m.getName().equals(method) ? replace.with(result) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    static void sql(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    static String text(Connection c, String query) throws SQLException {
        try (Statement s = c.createStatement();
                ResultSet rows = s.executeQuery(query)) {
            rows.next();
            return String.valueOf(rows.getString(1));
        }
    }

    static long number(Connection c, String query) throws SQLException {
        return Long.parseLong(text(c, query));
    }

    /** The database after this SQL. */
    Db with(String sql) {
        run(sql);
        return this;
    }

    /** Outside of any runner, on a connection of its own, committed at once. */
    void run(String sql) {
        try (Connection c = plain(url).getConnection()) {
            sql(c, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    long number(String query) {
        try (Connection c = plain(url).getConnection()) {
            return number(c, query);
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    /** Runs work on a thread of its own. */
    static CompletableFuture<Void> aside(Runnable work) {
        return CompletableFuture.runAsync(work, task -> Thread.ofVirtual().start(task));
    }

    /** Waits until the query answers true; for events on the server that nobody reports. */
    void await(String query) {
        long end = System.nanoTime() + 20_000_000_000L;
        try (Connection c = plain(url).getConnection()) {
            while (!text(c, query).equals("t")) {
                if (System.nanoTime() > end) {
                    throw new AssertionError("never true: " + query);
                }
                Thread.onSpinWait();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    @Override
    public void close() {
        if (source instanceof HikariDataSource pool) {
            pool.close();
        }
    }
}
