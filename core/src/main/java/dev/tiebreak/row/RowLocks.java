package dev.tiebreak.row;

import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import dev.tiebreak.internal.LockWait;
import dev.tiebreak.internal.Query;
import dev.tiebreak.internal.Race;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Locks on several rows at once, taken in one order, until the transaction ends.
 *
 * <p>The race: one transaction locks row 1 and then row 2, another one row 2 and then row 1, and PostgreSQL ends one of
 * them (40P01). Here one statement locks all rows in the order of their keys, so two calls on the same table cannot wait for
 * each other, whatever order the keys were given in. <b>The loser waits</b>; or with {@link #nowait} and {@link #waiting} it
 * is {@link Hold.Busy} and holds none of the rows.
 *
 * <pre>{@code
 * static final RowLocks SEATS = RowLocks.inOrder(Table.of("seat").keyedBy("event_id", "seat_no"));
 *
 * tx.run(c -> {
 *     SEATS.hold(c, wanted).orRollback();
 *     seats.decide(c, wanted);      // reads, now that nobody else can change them, and writes
 * });
 * }</pre>
 *
 * <p><b>Price.</b> One statement, one round trip, one lock a row. Rows are locked {@code FOR NO KEY UPDATE}, which does not
 * get in the way of an insert that points at them with a foreign key. Rows that do not exist cannot be locked: that is
 * {@link Hold.Absent}, and what has to be kept from being inserted twice needs a unique key, an exclusion constraint or an
 * advisory lock.
 *
 * <p><b>When not.</b> Where a single UPDATE can decide by its condition. Two calls in one transaction, or tables locked in
 * different orders, can still meet in a deadlock. Not in autocommit, where the locks would be gone with the statement.
 *
 * <p>Under REPEATABLE READ and SERIALIZABLE a row that changed since the snapshot is 40001. Immutable and thread-safe; holds
 * no connection; every word returns a changed copy.
 */
public final class RowLocks {
    private static final int MOST = 10_000;
    private static final int ATTEMPTS = 4;

    private final Table table;
    private final String strength;
    private final LockWait wait;
    private final Race race;

    private RowLocks(Table table, String strength, LockWait wait, Race race) {
        this.table = table;
        this.strength = strength;
        this.wait = wait;
        this.race = race;
    }

    /** Locks on rows of this table, which says with {@link Table#keyedBy} which columns name a row. */
    public static RowLocks inOrder(Table table) {
        String unused = table.keyMatches();
        return new RowLocks(table, "FOR NO KEY UPDATE", LockWait.asSet(), Race.of(table.toString()));
    }

    /** {@code FOR UPDATE}: for rows whose key will be changed, or that will be deleted. */
    public RowLocks forUpdate() {
        return new RowLocks(table, "FOR UPDATE", wait, race);
    }

    /** {@code FOR SHARE}: many may hold it at once, and while they do, nobody changes the rows. */
    public RowLocks shared() {
        return new RowLocks(table, "FOR SHARE", wait, race);
    }

    /** Does not wait at all: {@link Hold.Busy} at once if another holds one of the rows. Costs a savepoint. */
    public RowLocks nowait() {
        return new RowLocks(table, strength, LockWait.none(), race);
    }

    /**
     * Waits at most this long, at least 1 ms, for each of the rows, then is {@link Hold.Busy}; without it the connection's
     * {@code lock_timeout} holds, and that is an error (55P03). Costs a savepoint.
     */
    public RowLocks waiting(Duration atMost) {
        return new RowLocks(table, strength, LockWait.atMost(atMost), race);
    }

    /** The race's name in events; the table's name until then. */
    public RowLocks named(String name) {
        return new RowLocks(table, strength, wait, race.named(name));
    }

    /** Every settled call is told to the listener; a call that throws is not. */
    public RowLocks listening(RaceListener listener) {
        return new RowLocks(table, strength, wait, race.listening(listener));
    }

    /** As {@link #hold(Connection, Collection)}. */
    public Hold hold(Connection connection, Key... keys) throws SQLException {
        return hold(connection, Arrays.asList(keys));
    }

    /**
     * Locks all of these rows, or none.
     *
     * @param keys in any order; a row may be named twice; 1 to 10,000
     * @throws IllegalStateException in autocommit
     * @throws SQLException what the database says: 40001 and 40P01 mean that the transaction must be run again
     */
    public Hold hold(Connection connection, Collection<Key> keys) throws SQLException {
        List<Key> distinct = distinct(keys);
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("row locks of " + race.name()
                    + " need a transaction: in autocommit they would be gone with the statement that takes them");
        }
        Race.Round round = race.begin("row locks");
        do {
            Boolean held = wait.run(
                    connection,
                    round,
                    sql(distinct.size()),
                    binds -> {
                        for (Key key : distinct) {
                            binds.add(key);
                        }
                    },
                    rows -> {
                        int locked = 0;
                        while (rows.next()) {
                            locked++;
                        }
                        return locked >= distinct.size();
                    });
            if (held == null) {
                break;
            }
            if (held) {
                return round.settled(new Hold.Held(distinct));
            }
            Key missing = missing(connection, distinct);
            if (missing != null) {
                return round.settled(new Hold.Absent(missing));
            }
        } while (round.again(ATTEMPTS));
        return round.settled(new Hold.Busy(round.attempts(), round.waited()));
    }

    private List<Key> distinct(Collection<Key> keys) {
        if (keys.isEmpty() || keys.size() > MOST) {
            throw new IllegalArgumentException(
                    "a call of " + race.name() + " locks 1 to " + MOST + " rows, not " + keys.size());
        }
        for (Key key : keys) {
            if (!key.table().equals(table)) {
                throw new IllegalArgumentException(key + " is not a key of " + table + table.keyColumns());
            }
        }
        return List.copyOf(new LinkedHashSet<>(keys));
    }

    private String sql(int rows) {
        List<String> columns = table.keyColumns();
        String any;
        if (columns.size() == 1) {
            any = Table.quoted(columns.getFirst()) + " IN (" + "?, ".repeat(rows - 1) + "?)";
        } else {
            any = String.join(" OR ", Collections.nCopies(rows, "(" + table.keyMatches() + ")"));
        }
        // The locks are taken above the sort, so in its order: a key that is locked cannot change any more.
        String order = columns.stream().map(Table::quoted).collect(Collectors.joining(", "));
        return "SELECT 1 FROM " + table.sql() + " WHERE " + any + " ORDER BY " + order + " " + strength
                + (wait.isNone() ? " NOWAIT" : "");
    }

    private @Nullable Key missing(Connection connection, List<Key> keys) throws SQLException {
        String sql = "SELECT FROM " + table.sql() + " WHERE " + table.keyMatches();
        for (Key key : keys) {
            boolean there = Query.run(connection, sql, binds -> binds.add(key), rows -> rows.next());
            if (!there) {
                return key;
            }
        }
        return null;
    }

    /** Such as {@code seat (FOR NO KEY UPDATE of seat)}. */
    @Override
    public String toString() {
        return race.name() + " (" + strength + " of " + table + ")";
    }

    /** What became of a {@link RowLocks#hold(Connection, Collection)}. */
    public sealed interface Hold {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Held orRollback();

        /** All of them are locked until the transaction ends. */
        record Held(List<Key> keys) implements Hold {
            /** Keeps a copy. */
            public Held {
                keys = List.copyOf(keys);
            }

            @Override
            public Held orRollback() {
                return this;
            }
        }

        /** There is no such row; the others may be locked until the transaction ends. */
        record Absent(Key key) implements Hold {
            @Override
            public Held orRollback() {
                throw new Lost(this);
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
