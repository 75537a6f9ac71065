package dev.tiebreak;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * One run of a {@link Tx} body: a connection, its transaction, and the judgement of how it ended.
 *
 * <p>The judgement is by the transaction's state and not by having seen an error: after a rollback to a savepoint, or under
 * the driver's {@code autosave=always}, an error that was caught is as good as none.
 */
final class Attempt implements AutoCloseable {
    private final Connection connection;
    private final @Nullable BaseConnection base;
    private final GuardedConnection guarded;
    private boolean autoCommit;
    private boolean committing;
    private boolean ended;
    private boolean broken;

    private Attempt(Connection connection) {
        this.connection = connection;
        this.base = Driver.beneath(connection);
        this.guarded = new GuardedConnection(connection, base);
    }

    static Attempt on(DataSource dataSource) {
        try {
            return new Attempt(dataSource.getConnection());
        } catch (SQLException e) {
            throw verdict(e);
        }
    }

    /** What the body may use. */
    Connection connection() {
        return guarded;
    }

    /** Begins, which costs no round trip, unless there are settings to send. */
    void begin(String settings) throws SQLException {
        if (Spring.isTransactionAware(connection)) {
            ended = true; // not ours to end
            throw new TxException.Misuse(Tx.AWARE);
        }
        if (base != null && base.getTransactionState() != TransactionState.IDLE) {
            ended = true; // not ours to end
            throw new TxException.Misuse(
                    "the connection is in a transaction already, which Tx must not commit: give Tx a"
                            + " DataSource whose connections are free, or hand this connection to the race directly");
        }
        autoCommit = connection.getAutoCommit();
        if (autoCommit) {
            connection.setAutoCommit(false);
        }
        if (!settings.isEmpty()) {
            try (Statement s = connection.createStatement()) {
                s.execute(settings);
            }
            guarded.ran();
        }
    }

    /** Commits, or throws: returns only if the server has committed. */
    void commit() throws SQLException {
        guarded.check();
        committing = true;
        if (base != null && base.getTransactionState() == TransactionState.FAILED) {
            throw notCommitted();
        }
        try {
            if (base != null) {
                connection.commit();
            } else {
                // The state cannot be read: a failed transaction fails the SELECT, and then COMMIT is not run.
                try (Statement s = connection.createStatement()) {
                    s.execute("SELECT 1; COMMIT");
                }
            }
            ended = true;
        } catch (SQLException e) {
            throw failedCommit(e);
        } catch (RuntimeException e) {
            throw unknown("", e);
        }
    }

    private TxException failedCommit(SQLException e) throws SQLException {
        String state = SqlStates.of(e);
        boolean killedBefore = state.equals("25P03") || state.equals("25P04");
        if (!killedBefore && (SqlStates.connectionLost(e) || connection.isClosed())) {
            return unknown(state, e);
        }
        return state.equals("25P02") ? swallowed(e) : verdict(e);
    }

    private TxException unknown(String state, Exception e) {
        ended = true;
        broken = true;
        return new TxException.OutcomeUnknown(state, e);
    }

    private TxException notCommitted() {
        try (Statement s = connection.createStatement()) {
            s.execute("SELECT 1");
            throw new IllegalStateException("a failed transaction ran a statement");
        } catch (SQLException echo) {
            return swallowed(echo);
        }
    }

    private static TxException swallowed(SQLException echo) {
        SQLException original = SqlStates.original(echo);
        return SqlStates.conflict(original) == null
                ? new TxException.NotCommitted(SqlStates.of(original), original)
                : new TxException.Conflict(SqlStates.of(original), original);
    }

    /** Rolls back what the failure left behind; throws if the body had ended its transaction, so that not all is undone. */
    void rollback(Throwable failure) {
        if (ended) {
            return;
        }
        ended = true;
        TxException.Misuse misuse = committing ? null : guarded.endedItself();
        try {
            connection.rollback();
        } catch (SQLException e) {
            broken = true;
            failure.addSuppressed(e);
        }
        if (misuse != null && misuse != failure) {
            misuse.addSuppressed(failure);
            throw misuse;
        }
    }

    /** The verdict that an error of the database amounts to. */
    static TxException verdict(SQLException failure) {
        SQLException original = SqlStates.original(failure);
        SQLException conflict = SqlStates.conflict(original);
        if (conflict != null) {
            return new TxException.Conflict(SqlStates.of(conflict), original);
        }
        String state = SqlStates.of(original);
        return switch (state) {
            case "55P03" -> new TxException.LockNotAvailable(state, original);
            case "57014" -> new TxException.StatementCancelled(state, original);
            case "25P03", "25P04" -> new TxException.IdleTooLong(state, original);
            default -> new TxException.Failed(state, original);
        };
    }

    /** Gives the connection back as it was; one that cannot be put in order is closed for good. */
    @Override
    public void close() {
        try (connection) {
            if (broken) {
                connection.abort(Runnable::run);
            } else if (autoCommit) {
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            // The outcome is settled; a connection that fails now is the pool's to replace.
        }
    }
}
