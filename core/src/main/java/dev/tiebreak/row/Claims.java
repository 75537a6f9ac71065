package dev.tiebreak.row;

import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import dev.tiebreak.internal.LockWait;
import dev.tiebreak.internal.Race;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * Things of which each has one owner: the first to claim a thing has it, everybody else learns who that is.
 *
 * <p>The race: two managers assign the same job in the same second. Both look, both see that it is free, both write. Here
 * the insert <em>is</em> the decision: the table's unique key has room for one row, whoever commits it owns the thing, and
 * no row means that nobody does.
 *
 * <pre>{@code
 * // CREATE TABLE assignment_claim (org_id bigint, assignment_id bigint, employee_id bigint NOT NULL,
 * //     version bigint NOT NULL, PRIMARY KEY (org_id, assignment_id))
 * static final Table CLAIM = Table.of("assignment_claim").keyedBy("org_id", "assignment_id");
 * final Claims<Long> board = Claims.of(CLAIM, "employee_id", Long.class, "version").named("board");
 *
 * Key job = CLAIM.key("org_id", 4L, "assignment_id", 7L);
 * switch (tx.call(c -> board.claim(c, job, ravi))) {
 *     case Claim.Claimed<Long> won -> created201(won.version());
 *     case Claim.OwnedBy<Long> other -> conflict409(other.holder());
 *     case Claim.Busy<Long> busy -> unavailable503();
 * }
 * }</pre>
 *
 * <p><b>Price.</b> The winner: one statement, one round trip, one new row. <b>The loser</b>: an insert and a read, two round
 * trips, no lock, no exception; its transaction goes on. An insert of a key that another transaction has inserted and not
 * yet committed <em>waits</em> for that transaction's end: the first to insert has not won before it has committed.
 * {@link #waiting} bounds the wait. Two transactions that claim the same two things in opposite order meet in a deadlock
 * (40P01): claim several in one order.
 *
 * <p><b>Versions</b> are numbers of transactions ({@code pg_current_xact_id()}), so the column is a {@code bigint}: they
 * grow, but not by one, and no version ever comes back, not even after a release and a new claim. A page that was
 * opened before those cannot take the thing from its new owner.
 *
 * <p><b>When not.</b> If any free thing will do: a row of its own, locked with SKIP LOCKED. If ownership ends by itself when its holder dies: a lease.
 *
 * <p>It works on a table of yours, with composite keys and columns of any type; columns it does not know need a default.
 * It joins the caller's transaction, or commits by itself in autocommit. Under REPEATABLE READ and SERIALIZABLE a loser whose
 * snapshot is older than the winner's commit gets 40001 and has to run its transaction again. Immutable and thread-safe;
 * holds no connection; every word returns a changed copy.
 *
 * @param <H> who may own: {@code Long}, {@code Integer}, {@code String}, {@code UUID}, or another type that the driver reads
 */
public final class Claims<H> {
    private final ClaimRows<H> rows;
    private final int attempts;
    private final LockWait wait;
    private final Race race;

    private Claims(ClaimRows<H> rows, int attempts, LockWait wait, Race race) {
        this.rows = rows;
        this.attempts = attempts;
        this.wait = wait;
        this.race = race;
    }

    /**
     * The claims in a table of yours.
     *
     * @param table says with {@link Table#keyedBy} which columns name a thing; they have a unique key or are the primary key
     *     (else 42P10)
     * @param holderColumn who owns it, not null
     * @param type of the holder
     * @param versionColumn a {@code bigint}, not null
     */
    public static <H> Claims<H> of(Table table, String holderColumn, Class<H> type, String versionColumn) {
        ClaimRows<H> rows = new ClaimRows<>(table, holderColumn, type, versionColumn);
        return new Claims<>(rows, 10, LockWait.asSet(), Race.of(table.toString()));
    }

    /** The race's name in events; the table's name until then. */
    public Claims<H> named(String name) {
        return new Claims<>(rows, attempts, wait, race.named(name));
    }

    /** Every settled call is told to the listener; a call that throws is not. */
    public Claims<H> listening(RaceListener listener) {
        return new Claims<>(rows, attempts, wait, race.listening(listener));
    }

    /**
     * How often a claim inserts and reads when each time the holder lets go between the two; 10 by default, at least 1.
     * After that it is {@link Claim.Busy}.
     */
    public Claims<H> attempts(int atMost) {
        if (atMost < 1) {
            throw new IllegalArgumentException("attempts must be at least 1, not " + atMost);
        }
        return new Claims<>(rows, atMost, wait, race);
    }

    /**
     * Waits at most this long, at least 1 ms, for another transaction that is claiming or changing the same thing, then is
     * {@link Claim.Busy}; without it the connection's {@code lock_timeout} holds, and that is an error (55P03).
     *
     * <p>Costs a savepoint, released again, in the same round trip. Not for more than some dozens of claims in one
     * transaction: beyond 64 sub-transactions every snapshot on the server gets slower.
     */
    public Claims<H> waiting(Duration atMost) {
        return new Claims<>(rows, attempts, LockWait.atMost(atMost), race);
    }

    /**
     * Claims the thing for this holder.
     *
     * <p>A holder who claims what it owns already gets {@link Claim.OwnedBy} with itself: that is also the way to find out whether a
     * claim whose commit was lost sight of has arrived.
     *
     * @throws SQLException what the database says: 40001 and 40P01 mean that the transaction must be run again
     */
    public Claim<H> claim(Connection connection, Key key, H holder) throws SQLException {
        rows.check(key);
        ClaimRows.Change insert = rows.insert(key, holder);
        Race.Round round = race.begin("unique key");
        do {
            Long version = insert.run(connection, round, wait);
            if (version == null) {
                break;
            }
            if (version != ClaimRows.NONE) {
                return round.settled(new Claim.Claimed<>(version));
            }
            Claim.OwnedBy<H> winner = rows.read(connection, key);
            if (winner != null) {
                return round.settled(winner);
            }
        } while (round.again(attempts));
        return round.settled(new Claim.Busy<>(round.attempts(), round.waited()));
    }

    /**
     * Gives the thing to another holder, if its version is still the one seen.
     *
     * @param seenVersion from {@link Claim.Claimed}, {@link Claim.OwnedBy} or {@link Reassign.Reassigned}
     */
    public Reassign<H> reassign(Connection connection, Key key, long seenVersion, H holder) throws SQLException {
        return ifSeen(
                connection,
                key,
                seenVersion,
                rows.update(key, seenVersion, holder),
                Reassign.Reassigned<H>::new,
                Reassign.Stale<H>::new,
                Reassign.Absent<H>::new,
                Reassign.Busy<H>::new);
    }

    /**
     * Lets the thing go, if its version is still the one seen: its row is deleted, and the next claim may win.
     *
     * @param seenVersion from {@link Claim.Claimed}, {@link Claim.OwnedBy} or {@link Reassign.Reassigned}
     */
    public Release<H> release(Connection connection, Key key, long seenVersion) throws SQLException {
        return ifSeen(
                connection,
                key,
                seenVersion,
                rows.delete(key, seenVersion),
                Release.Released<H>::new,
                Release.Stale<H>::new,
                Release.Absent<H>::new,
                Release.Busy<H>::new);
    }

    /** Who owns the thing as this statement sees it: old news by the time it is read. One statement, no lock. */
    public Holder<H> holder(Connection connection, Key key) throws SQLException {
        rows.check(key);
        Claim.OwnedBy<H> now = rows.read(connection, key);
        return now == null ? new Holder.Absent<>(key) : now;
    }

    private <O> O ifSeen(
            Connection connection,
            Key key,
            long seenVersion,
            ClaimRows.Change change,
            LongFunction<O> won,
            Function<Claim.OwnedBy<H>, O> stale,
            Function<Key, O> absent,
            BiFunction<Integer, Duration, O> busy)
            throws SQLException {
        rows.check(key);
        Race.Round round = race.begin("version");
        do {
            Long version = change.run(connection, round, wait);
            if (version == null) {
                break;
            }
            if (version != ClaimRows.NONE) {
                return round.settled(won.apply(version));
            }
            Claim.OwnedBy<H> now = rows.read(connection, key);
            if (now == null) {
                return round.settled(absent.apply(key));
            }
            if (now.version() != seenVersion) {
                return round.settled(stale.apply(now));
            }
        } while (round.again(attempts));
        return round.settled(busy.apply(round.attempts(), round.waited()));
    }

    /** Such as {@code board (claims in assignment_claim)}. */
    @Override
    public String toString() {
        return race.name() + " (claims in " + rows.table() + ")";
    }

    /** What became of a {@link Claims#claim}. */
    public sealed interface Claim<H> {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Claimed<H> orRollback();

        /** It is yours once the transaction has committed; {@link Claims#reassign} and {@link Claims#release} want the version. */
        record Claimed<H>(long version) implements Claim<H> {
            @Override
            public Claimed<H> orRollback() {
                return this;
            }
        }

        /** Somebody owns it. */
        record OwnedBy<H>(H holder, long version) implements Claim<H>, Holder<H> {
            @Override
            public Claimed<H> orRollback() {
                throw new Lost(this);
            }
        }

        /** Nothing was changed and nothing is known: try later. {@code waited} is the time from the call to the answer. */
        record Busy<H>(int attempts, Duration waited) implements Claim<H> {
            @Override
            public Claimed<H> orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of a {@link Claims#reassign}. */
    public sealed interface Reassign<H> {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Reassigned<H> orRollback();

        /** It is the new holder's once the transaction has committed. */
        record Reassigned<H>(long version) implements Reassign<H> {
            @Override
            public Reassigned<H> orRollback() {
                return this;
            }
        }

        /** Its version is not the one seen any more; {@code now} is who owns it. */
        record Stale<H>(Claim.OwnedBy<H> now) implements Reassign<H> {
            @Override
            public Reassigned<H> orRollback() {
                throw new Lost(this);
            }
        }

        /** Nobody owns it. */
        record Absent<H>(Key key) implements Reassign<H> {
            @Override
            public Reassigned<H> orRollback() {
                throw new Lost(this);
            }
        }

        /** Nothing was changed and nothing is known: try later. {@code waited} is the time from the call to the answer. */
        record Busy<H>(int attempts, Duration waited) implements Reassign<H> {
            @Override
            public Reassigned<H> orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of a {@link Claims#release}. */
    public sealed interface Release<H> {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Released<H> orRollback();

        /** Nobody owns it once the transaction has committed; {@code version} was its last one. */
        record Released<H>(long version) implements Release<H> {
            @Override
            public Released<H> orRollback() {
                return this;
            }
        }

        /** Its version is not the one seen any more; {@code now} is who owns it. */
        record Stale<H>(Claim.OwnedBy<H> now) implements Release<H> {
            @Override
            public Released<H> orRollback() {
                throw new Lost(this);
            }
        }

        /** Nobody owns it. */
        record Absent<H>(Key key) implements Release<H> {
            @Override
            public Released<H> orRollback() {
                throw new Lost(this);
            }
        }

        /** Nothing was changed and nothing is known: try later. {@code waited} is the time from the call to the answer. */
        record Busy<H>(int attempts, Duration waited) implements Release<H> {
            @Override
            public Released<H> orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** Who owns a thing. */
    public sealed interface Holder<H> permits Claim.OwnedBy, Holder.Absent {
        /** Nobody owns it. */
        record Absent<H>(Key key) implements Holder<H> {}
    }
}
