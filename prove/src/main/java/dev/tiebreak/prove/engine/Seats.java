package dev.tiebreak.prove.engine;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A data source that hands out the connections of the race to threads that take part in one, and ordinary ones to others. */
public final class Seats implements DataSource {
    static final ThreadLocal<@Nullable Seat> CURRENT = new ThreadLocal<>();

    private final DataSource ordinary;

    /** A source for beans that are made once and used in races and elsewhere. */
    public Seats(DataSource ordinary) {
        this.ordinary = ordinary;
    }

    /** The source that was wrapped; or the argument itself. */
    public static DataSource ordinary(DataSource source) {
        return source instanceof Seats seats ? seats.ordinary : source;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Seat seat = CURRENT.get();
        return seat == null ? ordinary.getConnection() : seat.source().getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return ordinary.getConnection(user, password);
    }

    @Override
    public @Nullable PrintWriter getLogWriter() throws SQLException {
        return ordinary.getLogWriter();
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        ordinary.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        ordinary.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return ordinary.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return ordinary.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(this) ? type.cast(this) : ordinary.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this) || ordinary.isWrapperFor(type);
    }
}
