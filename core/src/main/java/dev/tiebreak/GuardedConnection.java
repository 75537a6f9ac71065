package dev.tiebreak;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * The connection that the body of a {@link Tx} sees: it refuses to end the transaction, and notices when SQL text did.
 *
 * <p>JDBC's own ways (commit, rollback, close, …) are refused before they do harm, and so is SQL text that says COMMIT,
 * ROLLBACK and the like. What gets past that, through an unwrapped connection, is noticed by the driver's transaction
 * state: once open, it may not be idle before the body has returned. Savepoints are the body's own business.
 */
final class GuardedConnection extends ForwardingConnection {
    private final Connection connection;
    private final @Nullable BaseConnection base;
    private boolean opened;
    private TxException.@Nullable Misuse ended;
    private TxException.@Nullable Misuse refused;

    GuardedConnection(Connection connection, @Nullable BaseConnection base) {
        super(connection);
        this.connection = connection;
        this.base = base;
    }

    /** Throws if the body ended the transaction, or tried to and went on as if it had. */
    void check() {
        TxException.Misuse over = endedItself();
        if (over != null) {
            throw over;
        }
        if (refused != null) {
            throw refused;
        }
    }

    /** Set if the transaction is over although the body is not: what it wrote before cannot be undone any more. */
    TxException.@Nullable Misuse endedItself() {
        if (ended == null && base != null) {
            boolean idle = base.getTransactionState() == TransactionState.IDLE;
            if (opened && idle && !lost()) {
                ended = new TxException.Misuse(
                        "the body ended the transaction itself: what it wrote before is committed or"
                                + " rolled back already, apart from the rest; leave the end to Tx, and throw to roll back");
            }
            opened |= !idle;
        }
        return ended;
    }

    /** Told by a statement that has just run: the transaction is open since then at the latest. */
    void ran() {
        opened = true;
        check();
    }

    private boolean lost() {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    /** Passes SQL text on, or refuses it if it would end the transaction. */
    String allowed(String sql) {
        String command = SqlText.endOfTransaction(sql);
        if (!command.isEmpty()) {
            throw refused(command);
        }
        return sql;
    }

    private TxException.Misuse refused(String what) {
        TxException.Misuse misuse = new TxException.Misuse(what + " inside the body of a Tx is refused, nothing was"
                + " committed: Tx commits when the body returns and rolls back when it throws; to undo a part, use a"
                + " savepoint");
        refused = misuse;
        return misuse;
    }

    private static TxException.Misuse settings(String what, String instead) {
        return new TxException.Misuse(what + " inside the body of a Tx would outlive it: " + instead);
    }

    @Override
    public Statement createStatement() throws SQLException {
        check();
        return new GuardedStatement(this, connection.createStatement());
    }

    @Override
    public Statement createStatement(int type, int concurrency) throws SQLException {
        check();
        return new GuardedStatement(this, connection.createStatement(type, concurrency));
    }

    @Override
    public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
        check();
        return new GuardedStatement(this, connection.createStatement(type, concurrency, holdability));
    }

    @Override
    public PreparedStatement prepareStatement(String sql) throws SQLException {
        check();
        return connection.prepareStatement(allowed(sql));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency) throws SQLException {
        check();
        return connection.prepareStatement(allowed(sql), type, concurrency);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
            throws SQLException {
        check();
        return connection.prepareStatement(allowed(sql), type, concurrency, holdability);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int generatedKeys) throws SQLException {
        check();
        return connection.prepareStatement(allowed(sql), generatedKeys);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int[] columns) throws SQLException {
        check();
        return connection.prepareStatement(allowed(sql), columns);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, String[] columns) throws SQLException {
        check();
        return connection.prepareStatement(allowed(sql), columns);
    }

    @Override
    public CallableStatement prepareCall(String sql) throws SQLException {
        check();
        return connection.prepareCall(allowed(sql));
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
        check();
        return connection.prepareCall(allowed(sql), type, concurrency);
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability) throws SQLException {
        check();
        return connection.prepareCall(allowed(sql), type, concurrency, holdability);
    }

    @Override
    public void commit() {
        throw refused("commit()");
    }

    @Override
    public void rollback() {
        throw refused("rollback()");
    }

    @Override
    public void close() {
        throw refused("close()");
    }

    @Override
    public void abort(Executor executor) {
        throw refused("abort()");
    }

    /** Off it is already; libraries that make sure of it do no harm. */
    @Override
    public void setAutoCommit(boolean autoCommit) {
        if (autoCommit) {
            throw refused("setAutoCommit(true)");
        }
    }

    @Override
    public void setReadOnly(boolean readOnly) throws SQLException {
        if (readOnly != isReadOnly()) {
            throw settings("setReadOnly(" + readOnly + ")", "use tx.readOnly() for a body that only reads");
        }
    }

    @Override
    public void setTransactionIsolation(int level) {
        throw settings("setTransactionIsolation(…)", "use tx.serializable() or tx.repeatableRead()");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(this) ? type.cast(this) : connection.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this) || connection.isWrapperFor(type);
    }
}
