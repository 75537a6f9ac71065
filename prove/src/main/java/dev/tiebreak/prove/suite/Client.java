package dev.tiebreak.prove.suite;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.util.PSQLWarning;
import org.postgresql.util.ServerErrorMessage;

/**
 * One connection with a thread of its own, on which a step can run while the tester looks on.
 *
 * <p>Owned by the tester's thread; only the statement's SQL runs on the client's.
 */
final class Client implements AutoCloseable {
    private final String name;
    private final Connection connection;
    private final Wire wire;
    private final int pid;
    private final ExecutorService thread;
    private @Nullable Statement statement;
    private @Nullable Future<Answer> running;
    private @Nullable SQLWarning lastNotice;
    private int notices;

    private Client(String name, Connection connection, Wire wire, int pid) {
        this.name = name;
        this.connection = connection;
        this.wire = wire;
        this.pid = pid;
        this.thread = Executors.newSingleThreadExecutor(
                task -> Thread.ofPlatform().name("pg-suite " + name).daemon().unstarted(task));
    }

    /**
     * Connects with the settings of PostgreSQL's regression tests.
     *
     * @param name of the session
     * @param application what {@code application_name} is to be: specs look for it
     */
    static Client connect(String url, String name, String application) throws SQLException {
        Properties properties = new Properties();
        // One simple query a step, as libpq sends it; results as text, as the server writes it.
        properties.setProperty("preferQueryMode", "simple");
        properties.setProperty("binaryTransfer", "false");
        properties.setProperty("ApplicationName", application);
        properties.setProperty("options", "-c intervalstyle=postgres_verbose");
        String number = Wire.newNumber();
        properties.setProperty("socketFactory", Wire.class.getName());
        properties.setProperty("socketFactoryArg", number);
        Connection connection = DriverManager.getConnection(url, properties);
        Wire wire = Wire.made(number);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET timezone = 'PST8PDT'");
            return new Client(
                    name,
                    connection,
                    wire,
                    connection.unwrap(PGConnection.class).getBackendPID());
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    String name() {
        return name;
    }

    int pid() {
        return pid;
    }

    /** How many notices have been shown since the connection was made. */
    int notices() {
        return notices;
    }

    /** Sends SQL and does not wait. */
    void start(String sql) throws SQLException {
        if (statement != null) {
            statement.close();
        }
        Statement next = connection.createStatement();
        next.setEscapeProcessing(false);
        statement = next;
        lastNotice = null;
        running = thread.submit(() -> Answer.of(next, sql));
    }

    /** Whether the SQL has ended, or ends within the time. */
    boolean endsWithin(long millis) {
        try {
            running().get(millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TesterException("interrupted while " + name + " was running", e);
        }
    }

    /**
     * Waits until the driver has read all that the server has sent so far, so that {@link #freshNotices} has them.
     *
     * @return whether the SQL ended meanwhile
     */
    boolean endsOnceRead() {
        try {
            // Twice, since between taking the last bytes and noting it the driver's thread may lose the processor.
            for (int seen = 0; seen < 2; seen = wire.isDrained() ? seen + 1 : 0) {
                if (endsWithin(1)) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new TesterException("the connection of " + name + " failed: " + e.getMessage(), e);
        }
    }

    /** The answer, once the SQL has ended. */
    Answer take() {
        try {
            return running().get();
        } catch (ExecutionException e) {
            throw new TesterException("session " + name + " failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TesterException("interrupted while " + name + " was running", e);
        }
    }

    /** Runs SQL to its end. */
    Answer run(String sql) throws SQLException {
        start(sql);
        return take();
    }

    /** Asks a question whose answer is yes or no. */
    boolean ask(String query) throws SQLException {
        try (Statement question = connection.createStatement();
                ResultSet answer = question.executeQuery(query)) {
            return answer.next() && answer.getBoolean(1);
        }
    }

    /** Asks the server to end what runs. */
    void cancel() throws SQLException {
        if (statement != null) {
            statement.cancel();
        }
    }

    /** The notices that arrived since the last look, in libpq's layout, each with the session's name in front. */
    String freshNotices() throws SQLException {
        StringBuilder fresh = new StringBuilder();
        SQLWarning notice = nextNotice();
        while (notice != null) {
            fresh.append(name).append(": ").append(text(notice));
            notices++;
            lastNotice = notice;
            notice = nextNotice();
        }
        return fresh.toString();
    }

    /** The notifications that arrived, in order. */
    List<PGNotification> notifications() throws SQLException {
        if (connection.isClosed()) {
            return List.of();
        }
        PGNotification[] all = connection.unwrap(PGConnection.class).getNotifications();
        return all == null ? List.of() : Arrays.asList(all);
    }

    /** Ends what runs, and the connection. */
    @Override
    public void close() throws SQLException {
        try (connection) {
            if (running != null && !running.isDone()) {
                cancel();
            }
        } finally {
            thread.shutdown();
        }
    }

    private @Nullable SQLWarning nextNotice() throws SQLException {
        if (lastNotice != null) {
            return lastNotice.getNextWarning();
        }
        return statement == null || statement.isClosed() ? null : statement.getWarnings();
    }

    private static String text(SQLWarning notice) {
        ServerErrorMessage message = notice instanceof PSQLWarning warning ? warning.getServerErrorMessage() : null;
        if (message == null) {
            return notice.getMessage() + "\n";
        }
        String text = message.getSeverity() + ":  " + message.getMessage() + "\n";
        text += message.getDetail() == null ? "" : "DETAIL:  " + message.getDetail() + "\n";
        return text + (message.getHint() == null ? "" : "HINT:  " + message.getHint() + "\n");
    }

    private Future<Answer> running() {
        if (running == null) {
            throw new IllegalStateException("session " + name + " runs nothing");
        }
        return running;
    }
}
