package dev.tiebreak.prove.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A race of ordinary code.
 *
 * @param name of the race
 * @param players the sessions
 * @param reset puts the rows back to the start
 * @param state the query that is compared at the end; empty for the written tables
 * @param allowed exceptions that may end a session
 */
public record JavaRace(
        String name, List<Player> players, Reset reset, String state, List<Class<? extends Throwable>> allowed) {
    /**
     * A session.
     *
     * @param code runs on the session's thread; what it returns is compared
     */
    public record Player(String name, Code code) {}

    /** What a session does. */
    @FunctionalInterface
    public interface Code {
        /** Does it with connections of this source. */
        @Nullable
        Object run(DataSource source) throws Exception;
    }

    /** Puts the rows back. */
    @FunctionalInterface
    public interface Reset {
        /** Runs on a connection in autocommit mode. */
        void run(Connection connection) throws SQLException;
    }
}
