package dev.tiebreak.prove.engine;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What a session of ordinary code sits on: its data source, and the connections that it opened, kept for the next run. */
final class Seat {
    private final JavaArena arena;
    private final int index;
    private final List<Link> free = new ArrayList<>();
    private final List<Link> taken = new ArrayList<>();
    private final DataSource source = new Source();
    private @Nullable Actor actor;
    private int operations;

    Seat(JavaArena arena, int index) {
        this.arena = arena;
        this.index = index;
    }

    int index() {
        return index;
    }

    DataSource source() {
        return source;
    }

    /** A run begins, on the session's thread. */
    void take(Actor by) {
        actor = by;
        operations = 0;
        Seats.CURRENT.set(this);
    }

    /** The session's code has ended, on the session's thread: connections that it forgot are closed as a pool would. */
    void leave() throws SQLException {
        Seats.CURRENT.remove();
        for (Link link : List.copyOf(taken)) {
            if (link.phase() != Link.Phase.IDLE) {
                rollBack(link);
            }
            giveBack(link);
        }
    }

    Connection connection() throws SQLException {
        Link link = free.isEmpty() ? arena.connect(index) : free.remove(free.size() - 1);
        taken.add(link);
        return Wrapped.connection(this, link);
    }

    void giveBack(Link link) {
        if (taken.remove(link)) {
            free.add(link);
        }
    }

    /** Runs one operation when it is its turn. */
    <T extends @Nullable Object> T perform(Link link, String sql, String shown, Actor.Work<T> work)
            throws SQLException {
        arena.asked(sql);
        return actor().perform(Op.statement(sql, operations++, shown), link, work);
    }

    void rollBack(Link link) throws SQLException {
        actor().perform(
                        Op.statement("ROLLBACK", -1, "ROLLBACK, as the connection was closed in a transaction"),
                        link,
                        answers -> {
                            if (link.connection().getAutoCommit()) {
                                link.run("ROLLBACK");
                            } else {
                                link.connection().rollback();
                            }
                            answers.add(new Answer.Done());
                            return answers;
                        });
    }

    void level(int jdbc) {
        Level level =
                switch (jdbc) {
                    case Connection.TRANSACTION_SERIALIZABLE -> Level.SERIALIZABLE;
                    case Connection.TRANSACTION_REPEATABLE_READ -> Level.REPEATABLE_READ;
                    default -> Level.READ_COMMITTED;
                };
        arena.uses(level);
        actor().usualLevel(level);
    }

    private Actor actor() {
        Actor now = actor;
        if (now == null) {
            throw new IllegalStateException("a connection of a race was used outside its session");
        }
        return now;
    }

    /** Makes the connections as good as new, between two runs. */
    void clean(String prelude, boolean flush) throws SQLException {
        free.addAll(taken);
        taken.clear();
        for (Link link : free) {
            Connection c = link.connection();
            if (link.phase() != Link.Phase.IDLE) {
                if (c.getAutoCommit()) {
                    link.run("ROLLBACK");
                } else {
                    c.rollback();
                }
            }
            c.setAutoCommit(true);
            if (c.isReadOnly()) {
                c.setReadOnly(false);
            }
            c.clearWarnings();
            link.run(
                    "CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD SEQUENCES; DISCARD TEMP; RESET ALL; "
                            + (flush ? "SELECT pg_stat_force_next_flush(); " : "") + prelude);
        }
    }

    void close() throws SQLException {
        for (Link link : free) {
            link.connection().close();
        }
        for (Link link : taken) {
            link.connection().close();
        }
    }

    private final class Source implements DataSource {
        @Override
        public Connection getConnection() throws SQLException {
            return connection();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            throw new SQLFeatureNotSupportedException("a race runs with one user: use getConnection()");
        }

        @Override
        public @Nullable PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(@Nullable PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            if (type.isInstance(this)) {
                return type.cast(this);
            }
            throw new SQLException("not a wrapper for " + type.getName());
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return type.isInstance(this);
        }
    }
}
