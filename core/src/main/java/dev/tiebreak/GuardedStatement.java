package dev.tiebreak;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A statement of a {@link GuardedConnection}: refuses SQL text that ends the transaction, or notices that it did. */
final class GuardedStatement extends ForwardingStatement {
    private final GuardedConnection guard;
    private final Statement statement;

    GuardedStatement(GuardedConnection guard, Statement statement) {
        super(statement);
        this.guard = guard;
        this.statement = statement;
    }

    @Override
    public Connection getConnection() {
        return guard;
    }

    @Override
    public boolean execute(String sql) throws SQLException {
        boolean rows = statement.execute(guard.allowed(sql));
        guard.ran();
        return rows;
    }

    @Override
    public boolean execute(String sql, int generatedKeys) throws SQLException {
        boolean rows = statement.execute(guard.allowed(sql), generatedKeys);
        guard.ran();
        return rows;
    }

    @Override
    public boolean execute(String sql, int[] columns) throws SQLException {
        boolean rows = statement.execute(guard.allowed(sql), columns);
        guard.ran();
        return rows;
    }

    @Override
    public boolean execute(String sql, String[] columns) throws SQLException {
        boolean rows = statement.execute(guard.allowed(sql), columns);
        guard.ran();
        return rows;
    }

    @Override
    public ResultSet executeQuery(String sql) throws SQLException {
        ResultSet rows = statement.executeQuery(guard.allowed(sql));
        guard.ran();
        return rows;
    }

    @Override
    public int executeUpdate(String sql) throws SQLException {
        int count = statement.executeUpdate(guard.allowed(sql));
        guard.ran();
        return count;
    }

    @Override
    public int executeUpdate(String sql, int generatedKeys) throws SQLException {
        int count = statement.executeUpdate(guard.allowed(sql), generatedKeys);
        guard.ran();
        return count;
    }

    @Override
    public int executeUpdate(String sql, int[] columns) throws SQLException {
        int count = statement.executeUpdate(guard.allowed(sql), columns);
        guard.ran();
        return count;
    }

    @Override
    public int executeUpdate(String sql, String[] columns) throws SQLException {
        int count = statement.executeUpdate(guard.allowed(sql), columns);
        guard.ran();
        return count;
    }

    @Override
    public long executeLargeUpdate(String sql) throws SQLException {
        long count = statement.executeLargeUpdate(guard.allowed(sql));
        guard.ran();
        return count;
    }

    @Override
    public long executeLargeUpdate(String sql, int generatedKeys) throws SQLException {
        long count = statement.executeLargeUpdate(guard.allowed(sql), generatedKeys);
        guard.ran();
        return count;
    }

    @Override
    public long executeLargeUpdate(String sql, int[] columns) throws SQLException {
        long count = statement.executeLargeUpdate(guard.allowed(sql), columns);
        guard.ran();
        return count;
    }

    @Override
    public long executeLargeUpdate(String sql, String[] columns) throws SQLException {
        long count = statement.executeLargeUpdate(guard.allowed(sql), columns);
        guard.ran();
        return count;
    }

    @Override
    public void addBatch(String sql) throws SQLException {
        statement.addBatch(guard.allowed(sql));
    }

    /** An empty batch sends nothing and so opens nothing. */
    @Override
    public int[] executeBatch() throws SQLException {
        int[] counts = statement.executeBatch();
        if (counts.length > 0) {
            guard.ran();
        }
        return counts;
    }

    @Override
    public long[] executeLargeBatch() throws SQLException {
        long[] counts = statement.executeLargeBatch();
        if (counts.length > 0) {
            guard.ran();
        }
        return counts;
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(this) ? type.cast(this) : statement.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this) || statement.isWrapperFor(type);
    }
}
