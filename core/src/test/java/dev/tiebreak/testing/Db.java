package dev.tiebreak.testing;

import dev.tiebreak.embedded.Server;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** A database of a test's own, and the few ways in which a race is staged on it. */
public final class Db {
    private final DataSource source;

    private Db(DataSource source) {
        this.source = source;
    }

    /** An empty database on the shared server of this major version. */
    public static Db on(int major) {
        return new Db(Server.dataSource(Server.shared(major).newDatabase()));
    }

    /** The database at this URL. */
    public static Db at(String url) {
        return new Db(Server.dataSource(url));
    }

    /** Its connections, one backend each. */
    public DataSource source() {
        return source;
    }

    /** One connection that is opened once and never given back: for load that should not measure connecting. */
    public DataSource kept() throws SQLException {
        return always(source.getConnection());
    }

    /** A source that always hands out this connection, which {@code close} leaves open. */
    public static DataSource always(Connection connection) {
        Connection open = proxy(Connection.class, (proxy, method, arguments) -> {
            if (method.getName().equals("close")) {
                return null;
            }
            try {
                return method.invoke(connection, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
        return proxy(DataSource.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "getConnection" -> open;
            case "isWrapperFor" -> false;
            default -> throw new UnsupportedOperationException(method.getName());
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(Db.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Runs statements in a transaction of their own. */
    public void run(String sql) throws SQLException {
        try (Connection c = source.getConnection()) {
            run(c, sql);
        }
    }

    /** Runs statements in the connection's transaction. */
    public static void run(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    /** The number that a query answers. */
    public long number(String sql) throws SQLException {
        try (Connection c = source.getConnection()) {
            return number(c, sql);
        }
    }

    /** The number that a query answers in the connection's transaction. */
    public static long number(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement();
                ResultSet r = s.executeQuery(sql)) {
            if (!r.next()) {
                throw new SQLException("no row: " + sql);
            }
            return r.getLong(1);
        }
    }

    /** The text that a query answers. */
    public String text(String sql) throws SQLException {
        try (Connection c = source.getConnection();
                Statement s = c.createStatement();
                ResultSet r = s.executeQuery(sql)) {
            if (!r.next()) {
                throw new SQLException("no row: " + sql);
            }
            return r.getString(1);
        }
    }

    /** An open transaction. */
    public Connection begin() throws SQLException {
        Connection c = source.getConnection();
        c.setAutoCommit(false);
        return c;
    }

    /** Returns once a session of this database waits for a lock that {@code blocker} holds; fails after 10 s. */
    @SuppressWarnings("ThreadSleep")
    public void awaitBlockedBy(Connection blocker) throws SQLException, InterruptedException {
        long pid = number(blocker, "SELECT pg_backend_pid()");
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        try (Connection c = source.getConnection()) {
            while (number(
                            c,
                            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND " + pid
                                    + " = ANY (pg_blocking_pids(pid))")
                    == 0) {
                if (System.nanoTime() > end) {
                    throw new AssertionError("nobody came to wait for backend " + pid);
                }
                TimeUnit.MILLISECONDS.sleep(2);
            }
        }
    }

    /** Runs the same work on several threads that begin together, and returns what they returned. */
    public static <T> List<T> together(int threads, Callable<T> work) throws Exception {
        CountDownLatch begin = new CountDownLatch(threads);
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<T>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(pool.submit(() -> {
                    begin.countDown();
                    begin.await();
                    return work.call();
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> f : running) {
                results.add(f.get(60, TimeUnit.SECONDS));
            }
            return results;
        }
    }

    /** Begins work on a thread of its own. */
    public static <T> Future<T> beside(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.ofVirtual().start(task);
        return task;
    }
}
