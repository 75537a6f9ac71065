package dev.tiebreak.lock;

import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.internal.LockWait;
import dev.tiebreak.internal.Query;
import dev.tiebreak.internal.Race;
import dev.tiebreak.internal.Savepoint;
import dev.tiebreak.internal.StableHash;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A lock on a name, held by one transaction at a time until it ends: for what no row stands for.
 *
 * <p>The race: two transactions look whether the room is free on Monday, both find no booking, both insert one. There is no
 * row that either could have locked. Both lock the name {@code "room 7, Monday"} here, and the second one looks after the
 * first has committed. <b>The loser waits</b>; or, with {@link #waiting} and {@link #tryHold}, it is {@link Hold.Busy}.
 *
 * <pre>{@code
 * static final AdvisoryLock ROOMS = AdvisoryLock.of("rooms");
 *
 * tx.run(c -> {
 *     ROOMS.hold(c, "7/2026-11-30").orRollback();
 *     bookings.insertIfFree(c, room, day);           // looks, now that nobody else can be looking, and writes
 * });
 * }</pre>
 *
 * <p><b>Price.</b> One statement, one round trip, one entry a name in the server's lock table until the transaction ends; no
 * table, no disk. <b>It works only if everybody asks</b>: whoever writes without the lock is not kept out. Where a unique key or
 * an exclusion constraint can express the rule, that is safer and as fast.
 *
 * <p><b>Always the transaction's.</b> There is no unlock: the server frees the lock with the COMMIT, not before it, so the next
 * holder sees what this one wrote, and behind a transaction pooler (PgBouncer) nothing is left behind on another backend. In
 * autocommit the lock would be gone at once: refused. On REPEATABLE READ and SERIALIZABLE the transaction's snapshot may be
 * older than the lock, so that its holder would decide on old news: refused.
 *
 * <p><b>The number</b> of a name is the first eight bytes, as a signed big-endian number, of the SHA-256 of two texts, each as
 * UTF-8 with its length in bytes before it (four bytes, big-endian): the namespace, then the name. It is stable, so other
 * languages can take the same lock, with {@code SELECT pg_advisory_xact_lock(number)}; all numbers lie in the one key space of
 * the one-argument functions. Names that are given together are locked in the order of their numbers.
 *
 * <p>Thread-safe; holds no connection; every word returns a changed copy. It remembers the {@value #REMEMBERED} names that
 * were asked for last, so that {@link #inUse} can tell who waits for what.
 *
 * @see <a href="https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS">PostgreSQL manual, 13.3.5</a>
 */
public final class AdvisoryLock {
    static final int REMEMBERED = 1000;

    private static final Savepoint ALL_OR_NONE = new Savepoint("tiebreak_names");
    private static final String READ_COMMITTED =
            "current_setting('transaction_isolation') IN ('read committed', 'read uncommitted')";

    private final String namespace;
    private final Map<Long, String> names;
    private final String shared;
    private final LockWait wait;
    private final Race race;
    private final String holdOne;
    private final String holdAll;
    private final String tryOne;
    private final String tryAll;

    private AdvisoryLock(String namespace, Map<Long, String> names, String shared, LockWait wait, Race race) {
        this.namespace = namespace;
        this.names = names;
        this.shared = shared;
        this.wait = wait;
        this.race = race;
        this.holdOne = "SELECT pg_advisory_xact_lock%s(?) WHERE %s".formatted(shared, READ_COMMITTED);
        this.holdAll = "SELECT pg_advisory_xact_lock%s(k) FROM unnest(?) k WHERE %s".formatted(shared, READ_COMMITTED);
        this.tryOne = "SELECT pg_try_advisory_xact_lock%s(?) WHERE %s".formatted(shared, READ_COMMITTED);
        this.tryAll = ALL_OR_NONE.before("SELECT bool_and(pg_try_advisory_xact_lock%s(k)) FROM unnest(?) k WHERE %s"
                .formatted(shared, READ_COMMITTED));
    }

    /** Locks on the names of a namespace, which keeps {@code "7"} the room apart from {@code "7"} the invoice. */
    public static AdvisoryLock of(String namespace) {
        if (namespace.isBlank()) {
            throw new IllegalArgumentException("a namespace of locks is not blank");
        }
        Map<Long, String> names = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, String> eldest) {
                return size() > REMEMBERED;
            }
        };
        return new AdvisoryLock(namespace, names, "", LockWait.asSet(), Race.of(namespace));
    }

    /** Many may hold it shared at once; they and an exclusive holder shut each other out. */
    public AdvisoryLock shared() {
        return new AdvisoryLock(namespace, names, "_shared", wait, race);
    }

    /**
     * {@link #hold} waits at most this long, at least 1 ms, for each name, then is {@link Hold.Busy} and holds none of them;
     * without it the connection's {@code lock_timeout} holds, and that is an error (55P03). Costs a savepoint.
     */
    public AdvisoryLock waiting(Duration atMost) {
        return new AdvisoryLock(namespace, names, shared, LockWait.atMost(atMost), race);
    }

    /** The race's name in events; the namespace until then. */
    public AdvisoryLock named(String name) {
        return new AdvisoryLock(namespace, names, shared, wait, race.named(name));
    }

    /** Every settled call is told to the listener; a call that throws is not. */
    public AdvisoryLock listening(RaceListener listener) {
        return new AdvisoryLock(namespace, names, shared, wait, race.listening(listener));
    }

    /** The number that stands for a name in {@code pg_advisory_xact_lock} and {@code pg_locks}. */
    public long number(String name) {
        return StableHash.of(namespace, List.of(name));
    }

    /** As {@link #hold(Connection, Collection)}. */
    public Hold hold(Connection connection, String... wanted) throws SQLException {
        return hold(connection, Arrays.asList(wanted));
    }

    /**
     * Locks these names, waiting where others hold them.
     *
     * @param wanted at least one; in any order; a name may be given twice
     * @throws IllegalStateException in autocommit, and on REPEATABLE READ and SERIALIZABLE; nothing is locked then
     * @throws SQLException what the database says: 40P01 if locks were taken one after the other in opposite orders
     */
    public Hold hold(Connection connection, Collection<String> wanted) throws SQLException {
        List<String> distinct = check(connection, wanted);
        Race.Round round = race.begin("advisory lock");
        String sql = distinct.size() == 1 ? holdOne : holdAll;
        Boolean held = wait.run(connection, round, sql, numbers(connection, distinct), rows -> rows.next());
        if (held == null) {
            return round.settled(new Hold.Busy(round.attempts(), round.waited()));
        }
        if (!held) {
            throw wrongLevel(connection);
        }
        return round.settled(new Hold.Held(distinct));
    }

    /** As {@link #tryHold(Connection, Collection)}. */
    public Hold tryHold(Connection connection, String... wanted) throws SQLException {
        return tryHold(connection, Arrays.asList(wanted));
    }

    /**
     * Locks these names if all of them are free, and does not wait: {@link Hold.Busy} holds none of them.
     *
     * <p>One statement for one name. Several cost a savepoint and a second round trip, since those that were free have to be
     * let go again if one was not.
     *
     * @throws IllegalStateException in autocommit, and on REPEATABLE READ and SERIALIZABLE; nothing is locked then
     */
    public Hold tryHold(Connection connection, Collection<String> wanted) throws SQLException {
        List<String> distinct = check(connection, wanted);
        Race.Round round = race.begin("advisory lock");
        boolean several = distinct.size() > 1;
        String sql = several ? tryAll : tryOne;
        Object all = Query.<@Nullable Object>run(
                connection, sql, numbers(connection, distinct), rows -> rows.next() ? rows.getObject(1) : null);
        if (several && Boolean.TRUE.equals(all)) {
            ALL_OR_NONE.release(connection);
        } else if (several) {
            ALL_OR_NONE.rollback(connection);
        }
        if (all == null) {
            throw wrongLevel(connection);
        }
        return round.settled((Boolean) all ? new Hold.Held(distinct) : new Hold.Busy(round.attempts(), round.waited()));
    }

    /**
     * Who holds and who waits for the names that were asked for last through this lock or a copy of it, in this process. Names
     * that only other processes use are not known here.
     */
    public List<InUse> inUse(Connection connection) throws SQLException {
        Map<Long, String> known;
        synchronized (names) {
            known = Map.copyOf(names);
        }
        String sql = """
                SELECT (CAST(classid AS bigint) << 32) | CAST(objid AS bigint), pid, granted,
                    extract(epoch FROM clock_timestamp() - waitstart)
                FROM pg_locks
                WHERE locktype = 'advisory' AND objsubid = 1
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                ORDER BY 1, granted DESC, waitstart""";
        return Query.run(connection, sql, binds -> {}, rows -> {
            List<InUse> found = new ArrayList<>();
            while (rows.next()) {
                String name = known.get(rows.getLong(1));
                if (name != null) {
                    boolean holds = rows.getBoolean(3);
                    double seconds = rows.getDouble(4); // 0 for the holder, whose waitstart is null
                    found.add(new InUse(
                            name, rows.getInt(2), holds, Duration.ofMillis(Math.max(0, Math.round(seconds * 1000)))));
                }
            }
            return List.copyOf(found);
        });
    }

    private List<String> check(Connection connection, Collection<String> wanted) throws SQLException {
        if (wanted.isEmpty()) {
            throw new IllegalArgumentException("at least one name of " + namespace + " is needed");
        }
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("a lock of " + namespace + " needs a transaction: in autocommit it would be"
                    + " gone with the statement that takes it; nothing was locked");
        }
        return List.copyOf(new LinkedHashSet<>(wanted));
    }

    /** The numbers of the names, in their order, which is that of the locks: one parameter. */
    private Query.Bind numbers(Connection connection, List<String> distinct) throws SQLException {
        Long[] numbers = new Long[distinct.size()];
        synchronized (names) {
            for (int i = 0; i < numbers.length; i++) {
                String name = distinct.get(i);
                numbers[i] = number(name);
                names.put(numbers[i], name);
            }
        }
        if (numbers.length == 1) {
            long only = numbers[0];
            return binds -> binds.add(only);
        }
        Arrays.sort(numbers);
        Array sorted = connection.createArrayOf("bigint", numbers);
        return binds -> binds.addObject(sorted);
    }

    private IllegalStateException wrongLevel(Connection connection) throws SQLException {
        String level = Query.run(connection, "SELECT current_setting('transaction_isolation')", binds -> {}, rows -> {
            boolean unused = rows.next();
            return rows.getString(1);
        });
        return new IllegalStateException(
                "a lock of " + namespace + " needs READ COMMITTED, where each statement sees what"
                        + " was committed before it: on " + level.toUpperCase(Locale.ROOT)
                        + " the transaction's snapshot may be older than the lock; nothing was locked");
    }

    /** Such as {@code rooms (advisory locks)}. */
    @Override
    public String toString() {
        return race.name() + " (advisory locks" + (shared.isEmpty() ? "" : ", shared") + ")";
    }

    /**
     * A lock that somebody holds or waits for.
     *
     * @param name as it was given to {@link #hold} or {@link #tryHold}
     * @param pid the backend, as in {@code pg_stat_activity}
     * @param held whether it holds the lock; else it waits
     * @param waited how long it has been waiting; zero for a holder
     */
    public record InUse(String name, int pid, boolean held, Duration waited) {}

    /** What became of a {@link AdvisoryLock#hold(Connection, Collection)} or a {@code tryHold}. */
    public sealed interface Hold {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Held orRollback();

        /** All of them are locked until the transaction ends. */
        record Held(List<String> names) implements Hold {
            /** Keeps a copy. */
            public Held {
                names = List.copyOf(names);
            }

            @Override
            public Held orRollback() {
                return this;
            }
        }

        /** Another transaction holds one of them: none is locked, try later. */
        record Busy(int attempts, Duration waited) implements Hold {
            @Override
            public Held orRollback() {
                throw new Lost(this);
            }
        }
    }
}
