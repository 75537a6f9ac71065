package dev.tiebreak.internal;

import dev.tiebreak.Binds;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** One statement, its parameters, and what is read from its rows. */
public final class Query {
    private Query() {}

    /** Runs the statement and reads its rows; it may be several in one text, of which the first one with rows is read. */
    public static <R extends @Nullable Object> R run(Connection connection, String sql, Bind bind, Read<R> read)
            throws SQLException {
        return run(connection, sql, 0, bind, read);
    }

    /** The same for several statements in one text: reads the result after {@code skip} results that have rows. */
    public static <R extends @Nullable Object> R run(
            Connection connection, String sql, int skip, Bind bind, Read<R> read) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(sql)) {
            bind.to(new Binds(s));
            s.execute();
            try (ResultSet result = result(s, skip)) {
                return read.from(result);
            }
        }
    }

    /** The first result of an executed text that has rows, after {@code skip} others that have some. */
    public static ResultSet result(PreparedStatement executed, int skip) throws SQLException {
        int seen = 0;
        while (true) {
            ResultSet rows = executed.getResultSet();
            if (rows != null && seen++ == skip) {
                return rows;
            }
            if (!executed.getMoreResults() && executed.getUpdateCount() == -1) {
                throw new SQLException("the statement answered no rows: " + executed);
            }
        }
    }

    /** One column of the current row as the type that was asked for; whole numbers of any width fit Long and Integer. */
    public static <T> T value(ResultSet rows, int column, Class<T> type) throws SQLException {
        Object value;
        if (type == Long.class) {
            value = rows.getLong(column);
        } else if (type == Integer.class) {
            value = rows.getInt(column);
        } else if (type == String.class) {
            value = rows.getString(column);
        } else {
            value = rows.getObject(column, type);
        }
        if (value == null || rows.wasNull()) {
            throw new IllegalStateException("column " + rows.getMetaData().getColumnLabel(column)
                    + " is null where a value decides the race: make it NOT NULL");
        }
        return type.cast(value);
    }

    /** Fills the parameters in. */
    @FunctionalInterface
    public interface Bind {
        /** Adds the parameters from left to right. */
        void to(Binds binds) throws SQLException;
    }

    /** Reads a result, before its first row. */
    @FunctionalInterface
    public interface Read<R extends @Nullable Object> {
        /** Reads the rows. */
        R from(ResultSet rows) throws SQLException;
    }
}
