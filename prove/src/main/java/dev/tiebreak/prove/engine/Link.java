package dev.tiebreak.prove.engine;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;

/** A session's connection: its server process, the state of its transaction, and plain execution of SQL text. */
public final class Link implements AutoCloseable {
    private final Connection connection;
    private final BaseConnection driver;
    private final int pid;
    private final Statement statement;

    /** Takes over a connection in autocommit mode. */
    public Link(Connection connection) throws SQLException {
        this.connection = connection;
        this.driver = connection.unwrap(BaseConnection.class);
        this.pid = connection.unwrap(PGConnection.class).getBackendPID();
        this.statement = connection.createStatement();
        statement.setEscapeProcessing(false);
    }

    /** The process at the server. */
    public int pid() {
        return pid;
    }

    /** Whether a transaction block is open, failed or neither, as the server said last. */
    public Phase phase() {
        return switch (driver.getTransactionState()) {
            case IDLE -> Phase.IDLE;
            case OPEN -> Phase.OPEN;
            case FAILED -> Phase.FAILED;
        };
    }

    /** The state of a connection between two statements. */
    public enum Phase {
        /** No transaction block. */
        IDLE,
        /** In a transaction block. */
        OPEN,
        /** In a transaction block that can only be rolled back. */
        FAILED
    }

    /** Whether every statement outside a transaction block is a transaction of its own. */
    boolean autocommits() {
        try {
            return connection.getAutoCommit();
        } catch (SQLException e) {
            return true;
        }
    }

    /** Runs SQL text, of one or more statements, and returns all its answers. */
    List<Answer> execute(String sql) throws SQLException {
        List<List<Words.Word>> statements = Words.statements(sql);
        List<Answer> answers = new ArrayList<>();
        boolean rows = statement.execute(sql);
        while (true) {
            if (rows) {
                boolean ordered = answers.size() < statements.size() && Words.ordered(statements.get(answers.size()));
                try (ResultSet r = statement.getResultSet()) {
                    answers.add(rows(r, ordered));
                }
            } else {
                int count = statement.getUpdateCount();
                if (count < 0) {
                    return answers;
                }
                answers.add(countable(statements, answers.size()) ? new Answer.Count(count) : new Answer.Done());
            }
            rows = statement.getMoreResults();
        }
    }

    /** Runs SQL whose answer does not matter. */
    void run(String sql) throws SQLException {
        statement.execute(sql);
        while (statement.getMoreResults() || statement.getUpdateCount() >= 0) {
            // Nobody wants it.
        }
    }

    /** The same, of SQL that is ended after so many seconds (SQLSTATE 57014). */
    void run(String sql, int mostSeconds) throws SQLException {
        statement.setQueryTimeout(mostSeconds);
        try {
            run(sql);
        } finally {
            statement.setQueryTimeout(0);
        }
    }

    /** Asks the server to stop what it is doing for this connection. */
    void cancel() throws SQLException {
        driver.cancelQuery();
    }

    Connection connection() {
        return connection;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** Whether the answer of the statement is a number of rows worth comparing. */
    private static boolean countable(List<List<Words.Word>> statements, int index) {
        if (index >= statements.size()) {
            return false;
        }
        return switch (statements.get(index).get(0).text()) {
            case "insert", "update", "delete", "merge", "with", "copy", "move", "select" -> true;
            default -> false;
        };
    }

    static Answer.Rows rows(ResultSet r, boolean ordered) throws SQLException {
        ResultSetMetaData meta = r.getMetaData();
        int width = meta.getColumnCount();
        List<String> columns = new ArrayList<>(width);
        for (int i = 1; i <= width; i++) {
            columns.add(meta.getColumnLabel(i));
        }
        List<List<@Nullable String>> rows = new ArrayList<>();
        while (r.next()) {
            List<@Nullable String> row = new ArrayList<>(width);
            for (int i = 1; i <= width; i++) {
                row.add(r.getString(i));
            }
            rows.add(row);
        }
        return new Answer.Rows(columns, rows, ordered);
    }
}
