package dev.tiebreak.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long a statement may wait for a lock, and the way back when it has waited too long: 55P03 becomes an answer, and the
 * transaction stays usable.
 *
 * <p>Unbounded, nothing is added: the connection's own {@code lock_timeout} holds, and its 55P03 is thrown. Bounded, the
 * statement travels between savepoint, setting and release in the same round trip; a shorter {@code lock_timeout} of the
 * connection stays in force, and the setting is put back. In autocommit, and under the driver's {@code autosave=always},
 * the savepoint is left out. Immutable and thread-safe.
 */
public final class LockWait {
    private static final String KEEP =
            "SELECT set_config('tiebreak.lock_timeout', current_setting('lock_timeout'), true),"
                    + " set_config('lock_timeout', (SELECT CASE WHEN own = 0 OR own > wish THEN wish ELSE own END FROM (SELECT"
                    + " CAST(? AS bigint), CAST(1000 * extract(epoch FROM CAST(current_setting('lock_timeout') AS interval)) AS"
                    + " bigint)) w (wish, own))::text, true); ";
    private static final String RESTORE =
            "; SELECT set_config('lock_timeout', current_setting('tiebreak.lock_timeout'), true)";
    private static final Savepoint SAVEPOINT = new Savepoint("tiebreak_wait");

    private final @Nullable Duration limit;

    private LockWait(@Nullable Duration limit) {
        this.limit = limit;
    }

    /** As long as the connection's settings allow, which by default is for ever. */
    public static LockWait asSet() {
        return new LockWait(null);
    }

    /** Not at all: for statements that say NOWAIT or SKIP LOCKED themselves. */
    public static LockWait none() {
        return new LockWait(Duration.ZERO);
    }

    /** At most this long for the whole call; at least 1 ms. */
    public static LockWait atMost(Duration limit) {
        if (limit.toMillis() < 1) {
            throw new IllegalArgumentException("a wait for a lock is at least 1 ms, not " + limit);
        }
        return new LockWait(limit);
    }

    /** Whether the statement itself has to say that it does not wait. */
    public boolean isNone() {
        return limit != null && limit.isZero();
    }

    /** Runs the statement; null if the lock was not free in time. */
    public <R> @Nullable R run(Connection connection, Race.Round round, String sql, Query.Bind bind, Query.Read<R> read)
            throws SQLException {
        Duration most = limit;
        if (most == null) {
            return Query.run(connection, sql, bind, read);
        }
        String bounded = most.isZero() ? sql : KEEP + sql + RESTORE;
        try {
            return Query.run(
                    connection,
                    SAVEPOINT.around(connection, bounded),
                    most.isZero() ? 0 : 1,
                    binds -> {
                        if (!most.isZero()) {
                            binds.add(Math.max(1, most.minus(round.waited()).toMillis()));
                        }
                        bind.to(binds);
                    },
                    read);
        } catch (SQLException e) {
            if (!"55P03".equals(e.getSQLState())) {
                throw e;
            }
            SAVEPOINT.undo(connection);
            return null;
        }
    }
}
