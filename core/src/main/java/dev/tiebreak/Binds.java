package dev.tiebreak;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/**
 * Binds the parameters of one statement from left to right.
 *
 * <p>Text and null are bound without a type, so that they fit a column of any type: {@code uuid}, an enum, {@code jsonb}.
 * Used by one thread.
 */
public final class Binds {
    private final PreparedStatement statement;
    private int next = 1;

    /** Begins at the first parameter. */
    public Binds(PreparedStatement statement) {
        this.statement = statement;
    }

    /** The next parameter, a {@code bigint}. */
    public void add(long value) throws SQLException {
        statement.setLong(next++, value);
    }

    /** The next parameters, one a column: those of {@link Table#keyMatches()}. */
    public void add(Key key) throws SQLException {
        for (Object value : key.values()) {
            addObject(value);
        }
    }

    /** The next parameter. */
    public void addObject(@Nullable Object value) throws SQLException {
        if (value == null) {
            statement.setNull(next++, Types.NULL);
        } else if (value instanceof String) {
            statement.setObject(next++, value, Types.OTHER);
        } else {
            statement.setObject(next++, value);
        }
    }
}
