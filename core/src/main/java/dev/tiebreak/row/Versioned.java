package dev.tiebreak.row;

import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import dev.tiebreak.internal.LockWait;
import dev.tiebreak.internal.Query;
import dev.tiebreak.internal.Race;
import dev.tiebreak.internal.Texts;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rows that people read, think about and then change: a change is made only to the version that was read.
 *
 * <p>The race: two people open the same document, both save, and the second save wipes out the first without anybody
 * noticing. Here the version that was seen is part of the UPDATE's own condition, so no check can be overtaken by a write.
 * <b>The loser</b> is told the version that is there now, and nothing of its own was written.
 *
 * <pre>{@code
 * static final Table DOCUMENT = Table.of("document").keyedBy("id");
 * final Versioned documents = Versioned.of(DOCUMENT, "version");
 *
 * IfMatch seen = IfMatch.header(request.header("If-Match"));
 * switch (tx.call(c -> documents.save(c, DOCUMENT.key("id", 7L), seen, Map.of("title", title)))) {
 *     case Save.Saved saved -> ok200(saved.etag());
 *     case Save.Stale stale -> preconditionFailed412(stale.etag());
 *     case Save.Absent absent -> notFound404();
 *     case Save.Busy busy -> unavailable503();
 *     case SaveIfMatch.Unconditional none -> preconditionRequired428();
 * }
 * }</pre>
 *
 * <p><b>Price.</b> The winner: one statement, one round trip, one row lock until the transaction ends, nothing locked while
 * people think. The loser: an update that changes nothing, and a read; one that had to wait for another's commit keeps the
 * row's lock until its transaction ends.
 *
 * <p><b>When not.</b> Where the new value follows from the old one ({@code qty - 1}): write that into the UPDATE, nobody has to
 * lose. On a row that many change at the same time, nearly all of them lose.
 *
 * <p>The version is a whole number, not null, raised by one with every change, as JPA's {@code @Version} does: both can work
 * on the same table. A statement that changes rows and leaves the version alone makes stale changes win; a trigger can raise
 * it for them (see the guide). A row that is deleted and inserted anew must not begin at an old version.
 *
 * <p>It joins the caller's transaction, or commits by itself in autocommit. Under REPEATABLE READ and SERIALIZABLE a
 * loser whose snapshot is older than the winner's commit gets 40001. Immutable and thread-safe; holds no connection;
 * every word returns a changed copy.
 */
public final class Versioned {
    private static final int ATTEMPTS = 4;

    private final Table table;
    private final String versionColumn;
    private final LockWait wait;
    private final Race race;
    private final Texts<Shape> saves = new Texts<>(this::saveSql);
    private final Texts<Boolean> deletes = new Texts<>(this::deleteSql);

    private Versioned(Table table, String versionColumn, LockWait wait, Race race) {
        this.table = table;
        this.versionColumn = versionColumn;
        this.wait = wait;
        this.race = race;
    }

    /** The rows of a table of yours, which says with {@link Table#keyedBy} which columns name a row. */
    public static Versioned of(Table table, String versionColumn) {
        String unused = table.keyMatches() + Table.quoted(versionColumn);
        return new Versioned(table, versionColumn, LockWait.asSet(), Race.of(table.toString()));
    }

    /** The race's name in events; the table's name until then. */
    public Versioned named(String name) {
        return new Versioned(table, versionColumn, wait, race.named(name));
    }

    /** Every settled call is told to the listener; a call that throws is not. */
    public Versioned listening(RaceListener listener) {
        return new Versioned(table, versionColumn, wait, race.listening(listener));
    }

    /**
     * Waits at most this long, at least 1 ms, for another transaction that is changing the row, then is {@link Save.Busy};
     * without it the connection's {@code lock_timeout} holds, and that is an error (55P03). Costs a savepoint, released
     * again, in the same round trip; not for more than some dozens of changes in one transaction.
     */
    public Versioned waiting(Duration atMost) {
        return new Versioned(table, versionColumn, LockWait.atMost(atMost), race);
    }

    /**
     * Writes the changes if the row's version is still the one seen.
     *
     * @param changes column to new value, which may be null; none at all only raises the version
     * @throws SQLException what the database says: 40001 and 40P01 mean that the transaction must be run again
     */
    public Save save(Connection connection, Key key, long seenVersion, Map<String, ? extends @Nullable Object> changes)
            throws SQLException {
        return save(connection, key, changes, IfMatch.version(seenVersion));
    }

    /** Writes the changes if the request's condition holds; without a condition nothing is written. */
    public SaveIfMatch save(
            Connection connection, Key key, IfMatch seen, Map<String, ? extends @Nullable Object> changes)
            throws SQLException {
        return seen.given()
                ? save(connection, key, changes, seen)
                : race.begin("version").settled(new SaveIfMatch.Unconditional());
    }

    /** Deletes the row if its version is still the one seen. */
    public Delete delete(Connection connection, Key key, long seenVersion) throws SQLException {
        return delete(connection, key, IfMatch.version(seenVersion));
    }

    /** Deletes the row if the request's condition holds; a request without one deletes nothing and is refused. */
    public Delete delete(Connection connection, Key key, IfMatch seen) throws SQLException {
        Race.Round round = race.begin("version");
        if (!seen.given()) {
            return round.settled(new Delete.Unconditional());
        }
        Seen result = change(connection, key, seen, round, deletes.of(seen.any()), Map.of());
        return switch (result.what) {
            case CHANGED -> round.settled(new Delete.Deleted(result.version));
            case STALE -> round.settled(new Delete.Stale(result.version));
            case ABSENT -> round.settled(new Delete.Absent(key));
            case BUSY -> round.settled(new Delete.Busy(round.attempts(), round.waited()));
        };
    }

    private Save save(Connection connection, Key key, Map<String, ? extends @Nullable Object> changes, IfMatch seen)
            throws SQLException {
        if (changes.containsKey(versionColumn)) {
            throw new IllegalArgumentException("the version of " + table + " is not a change: column \"" + versionColumn
                    + "\" is raised by the save itself");
        }
        Map<String, @Nullable Object> sorted = new TreeMap<>(changes);
        String sql = saves.of(new Shape(List.copyOf(sorted.keySet()), seen.any()));
        Race.Round round = race.begin("version");
        Seen result = change(connection, key, seen, round, sql, sorted);
        return switch (result.what) {
            case CHANGED -> round.settled(new Save.Saved(result.version));
            case STALE -> round.settled(new Save.Stale(result.version));
            case ABSENT -> round.settled(new Save.Absent(key));
            case BUSY -> round.settled(new Save.Busy(round.attempts(), round.waited()));
        };
    }

    private String saveSql(Shape shape) {
        return "UPDATE %s SET %s%s = %3$s + 1 WHERE %4$s AND %5$s RETURNING %3$s"
                .formatted(
                        table.sql(),
                        shape.columns.stream()
                                .map(c -> Table.quoted(c) + " = ?, ")
                                .collect(Collectors.joining()),
                        Table.quoted(versionColumn),
                        table.keyMatches(),
                        condition(shape.anyVersion));
    }

    private String deleteSql(boolean anyVersion) {
        return "DELETE FROM %s WHERE %s AND %s RETURNING %s"
                .formatted(table.sql(), table.keyMatches(), condition(anyVersion), Table.quoted(versionColumn));
    }

    private String condition(boolean anyVersion) {
        return anyVersion ? "TRUE" : Table.quoted(versionColumn) + " = ANY (?)";
    }

    /** Changes the row, or says why not; a row that came to fit in between is tried again, a few times. */
    private Seen change(
            Connection connection,
            Key key,
            IfMatch seen,
            Race.Round round,
            String sql,
            Map<String, @Nullable Object> changes)
            throws SQLException {
        if (!key.table().equals(table)) {
            throw new IllegalArgumentException(key + " is not a key of " + table + table.keyColumns());
        }
        Array versions = connection.createArrayOf("bigint", seen.versions().toArray());
        do {
            Seen changed = wait.run(
                    connection,
                    round,
                    sql,
                    binds -> {
                        for (Object value : changes.values()) {
                            binds.addObject(value);
                        }
                        binds.add(key);
                        if (!seen.any()) {
                            binds.addObject(versions);
                        }
                    },
                    rows -> rows.next() ? new Seen(What.CHANGED, rows.getLong(1)) : NOTHING);
            if (changed == null) {
                break;
            }
            if (changed.what == What.CHANGED) {
                return changed;
            }
            Seen now = version(connection, key);
            if (now.what == What.ABSENT || !seen.matches(now.version)) {
                return now;
            }
        } while (round.again(ATTEMPTS));
        return new Seen(What.BUSY, 0);
    }

    private Seen version(Connection connection, Key key) throws SQLException {
        String sql =
                "SELECT %s FROM %s WHERE %s".formatted(Table.quoted(versionColumn), table.sql(), table.keyMatches());
        return Query.run(
                connection,
                sql,
                binds -> binds.add(key),
                rows -> rows.next() ? new Seen(What.STALE, Query.value(rows, 1, Long.class)) : NOTHING);
    }

    /** Such as {@code document (version of document)}. */
    @Override
    public String toString() {
        return race.name() + " (" + versionColumn + " of " + table + ")";
    }

    private enum What {
        CHANGED,
        STALE,
        ABSENT,
        BUSY
    }

    private record Shape(List<String> columns, boolean anyVersion) {}

    private record Seen(What what, long version) {}

    private static final Seen NOTHING = new Seen(What.ABSENT, 0);

    /** What became of a {@link Versioned#save(Connection, Key, IfMatch, Map)}. */
    public sealed interface SaveIfMatch {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Save.Saved orRollback();

        /** The request has no condition, and a change without one is how updates get lost: 428. */
        record Unconditional() implements SaveIfMatch {
            @Override
            public Save.Saved orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of a {@link Versioned#save(Connection, Key, long, Map)}. */
    public sealed interface Save extends SaveIfMatch {
        /** The changes are made once the transaction has committed; {@code version} is the row's new one. */
        record Saved(long version) implements Save {
            /** The new version's entity tag. */
            public String etag() {
                return IfMatch.etag(version);
            }

            @Override
            public Saved orRollback() {
                return this;
            }
        }

        /** The row's version is not the one seen any more, but {@code now}: 412 for a condition of HTTP, else 409. */
        record Stale(long now) implements Save {
            /** The present version's entity tag. */
            public String etag() {
                return IfMatch.etag(now);
            }

            @Override
            public Saved orRollback() {
                throw new Lost(this);
            }
        }

        /** There is no such row. */
        record Absent(Key key) implements Save {
            @Override
            public Saved orRollback() {
                throw new Lost(this);
            }
        }

        /** Nothing was changed and nothing is known: try later. */
        record Busy(int attempts, Duration waited) implements Save {
            @Override
            public Saved orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of a {@link Versioned#delete(Connection, Key, long)}. */
    public sealed interface Delete {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Deleted orRollback();

        /** The row is gone once the transaction has committed; {@code version} was its last one. */
        record Deleted(long version) implements Delete {
            @Override
            public Deleted orRollback() {
                return this;
            }
        }

        /** The row's version is not the one seen any more, but {@code now}. */
        record Stale(long now) implements Delete {
            @Override
            public Deleted orRollback() {
                throw new Lost(this);
            }
        }

        /** There is no such row. */
        record Absent(Key key) implements Delete {
            @Override
            public Deleted orRollback() {
                throw new Lost(this);
            }
        }

        /** The request has no condition: 428. */
        record Unconditional() implements Delete {
            @Override
            public Deleted orRollback() {
                throw new Lost(this);
            }
        }

        /** Nothing was changed and nothing is known: try later. */
        record Busy(int attempts, Duration waited) implements Delete {
            @Override
            public Deleted orRollback() {
                throw new Lost(this);
            }
        }
    }
}
