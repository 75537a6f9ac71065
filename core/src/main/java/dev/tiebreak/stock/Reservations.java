package dev.tiebreak.stock;

import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.internal.Race;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Units of a {@link Stock} that are held for somebody until an instant: a cart, a seat until it is paid for.
 *
 * <p>The race: the buyer confirms in the very second in which the time is over and the sweep gives the units back; or confirms
 * and cancels at once. Here each reservation is one row that leaves the state HELD once: whoever changes it has decided, and
 * <b>the loser</b> is told the state that it has now. So its units are given back once or never.
 *
 * <pre>{@code
 * final Reservations carts = Reservations.of(tea).lasting(Duration.ofMinutes(15));
 *
 * Held held = tx.call(c -> carts.hold(c, teaKey, 2).orRollback());          // taken from the stock, until held.until()
 * tx.run(c -> { carts.confirm(c, held.id()).orRollback(); orders.insert(c, order); });
 * // every minute, on every server:
 * Swept swept = tx.call(c -> carts.expire(c, 100));
 * }</pre>
 *
 * <p><b>Price.</b> {@code hold}: what the stock's strategy costs, and one INSERT. {@code confirm}: one statement. {@code cancel}:
 * one statement, and the stock's giving back. {@code expire}: one statement for all, one that locks the stock's rows in key
 * order, and one update a key; it skips reservations that others are settling, so any number of servers may run it. A loser pays one read
 * more. One row lock a reservation.
 *
 * <p><b>When not.</b> If nothing is paid or decided in between, take from the stock at once. If each unit is a thing of its own,
 * such as a numbered seat, hold its row: FreeRows or Claims.
 *
 * <p>Only the database's clock counts. It keeps the table {@code tiebreak.reservation}, which {@code Schema} installs, for
 * all stocks of the database, each known by its table and column: one that is renamed leaves its reservations behind. In the keys
 * that are handed back whole numbers are {@code Long}, uuids {@code UUID}, and all else text. Rows are kept when
 * they are settled, so that a repeated confirm gets the same answer; {@link #purge} deletes old ones. It joins the caller's transaction,
 * and refuses autocommit, where the units could go without the reservation. Under REPEATABLE READ and SERIALIZABLE losers get 40001.
 * Immutable and thread-safe; holds no connection; every word returns a changed copy.
 */
public final class Reservations {
    private final ReservationRows rows;
    private final Duration time;
    private final Race race;

    private Reservations(ReservationRows rows, Duration time, Race race) {
        this.rows = rows;
        this.time = time;
        this.race = race;
    }

    /** Reservations of 15 minutes on a stock, taken as its strategy takes and given back as it gives back. */
    public static Reservations of(Stock stock) {
        return new Reservations(
                new ReservationRows(stock, "tiebreak"),
                Duration.ofMinutes(15),
                Race.of(stock.name() + " reservations"));
    }

    /** The library's tables are in a schema of this name instead of {@code tiebreak}. */
    public Reservations in(String schema) {
        return new Reservations(new ReservationRows(rows.stock(), schema), time, race);
    }

    /** How long the units are held; 15 minutes by default, at least 1 ms. */
    public Reservations lasting(Duration most) {
        if (most.toMillis() < 1) {
            throw new IllegalArgumentException("a reservation lasts at least 1 ms, not " + most);
        }
        return new Reservations(rows, most, race);
    }

    /** The race's name in events; the stock's name and "reservations" until then. */
    public Reservations named(String name) {
        return new Reservations(rows, time, race.named(name));
    }

    /** Every settled call is told to the listener; a call that throws is not. */
    public Reservations listening(RaceListener listener) {
        return new Reservations(rows, time, race.listening(listener));
    }

    /**
     * Takes n units and holds them as long as {@link #lasting} says.
     *
     * @param n at least 1
     * @throws IllegalStateException in autocommit, or if the stock's strategy refuses the connection's isolation level
     */
    public Hold hold(Connection connection, Key key, long n) throws SQLException {
        return hold(connection, key, n, id -> rows.insert(connection, id, key, n, time));
    }

    /**
     * Takes n units and holds them until an instant, such as the end of the sale.
     *
     * @param n at least 1
     * @param until by the database's clock; a reservation until an instant that is past is over at once
     * @throws IllegalStateException in autocommit, or if the stock's strategy refuses the connection's isolation level
     */
    public Hold hold(Connection connection, Key key, long n, Instant until) throws SQLException {
        return hold(connection, key, n, id -> rows.insert(connection, id, key, n, until));
    }

    private Hold hold(Connection connection, Key key, long n, Insert insert) throws SQLException {
        requireTransaction(connection);
        Race.Round round = race.begin("reservation");
        return round.settled(
                switch (rows.stock().take(connection, key, n)) {
                    case Stock.Take.SoldOut no -> new Hold.SoldOut(no.left());
                    case Stock.Take.Absent no -> new Hold.Absent(key);
                    case Stock.Take.Busy busy -> new Hold.Busy(busy.attempts(), busy.waited());
                    case Stock.Take.Taken won -> {
                        UUID id = UUID.randomUUID();
                        yield new Hold.Held(id, insert.until(id));
                    }
                });
    }

    /** Makes the units the buyer's for good, if the time is not over. */
    public Confirm confirm(Connection connection, UUID id) throws SQLException {
        requireTransaction(connection);
        Race.Round round = race.begin("reservation");
        ReservationRows.Row settled = rows.confirm(connection, id);
        if (settled != null) {
            return round.settled(new Confirm.Confirmed(settled.key(), settled.n()));
        }
        State now = rows.state(connection, id);
        return round.settled(now == null ? new Confirm.Absent(rows.key(id)) : new Confirm.Stale(now));
    }

    /** Gives the units back, if they are still held, also if their time is over and no sweep has come by. */
    public Cancel cancel(Connection connection, UUID id) throws SQLException {
        requireTransaction(connection);
        Race.Round round = race.begin("reservation");
        ReservationRows.Row settled = rows.cancel(connection, id);
        if (settled != null) {
            // A row that is gone from the stock has nothing to be given back to.
            Stock.GiveBack unused = rows.stock().giveBack(connection, settled.key(), settled.n());
            return round.settled(new Cancel.Cancelled(settled.key(), settled.n()));
        }
        State now = rows.state(connection, id);
        return round.settled(now == null ? new Cancel.Absent(rows.key(id)) : new Cancel.Stale(now));
    }

    /**
     * Gives back the units of reservations whose time is over, the oldest first; call it until it finds fewer than that.
     *
     * @param atMost how many reservations, at least 1
     */
    public Swept expire(Connection connection, int atMost) throws SQLException {
        requireTransaction(connection);
        requireSome(atMost);
        Race.Round round = race.begin("reservation");
        List<ReservationRows.Row> expired = rows.expire(connection, atMost);
        Map<Key, Long> units = new LinkedHashMap<>();
        expired.forEach(row -> units.merge(row.key(), row.n(), Math::addExact));
        if (units.size() > 1) {
            rows.stock().strategy().lockAll(connection, units); // in key order, as everybody else does
        }
        Map<Key, Long> back = new LinkedHashMap<>();
        for (Map.Entry<Key, Long> one : units.entrySet()) {
            if (rows.stock().giveBack(connection, one.getKey(), one.getValue()) instanceof Stock.GiveBack.GivenBack) {
                back.put(one.getKey(), one.getValue());
            }
        }
        return round.settled(new Swept(expired.size(), back));
    }

    /**
     * Deletes reservations that were settled longer ago than this; returns how many. After that a repeated confirm is told {@link
     * Confirm.Absent}. One statement; works in autocommit, too.
     *
     * @param age 0 or more
     * @param atMost how many, at least 1
     */
    public int purge(Connection connection, Duration age, int atMost) throws SQLException {
        if (age.isNegative()) {
            throw new IllegalArgumentException("settled reservations are kept for 0 or more, not " + age);
        }
        requireSome(atMost);
        return rows.purge(connection, age, atMost);
    }

    private static void requireSome(int atMost) {
        if (atMost < 1) {
            throw new IllegalArgumentException("a sweep takes at least 1 reservation, not " + atMost);
        }
    }

    private void requireTransaction(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    race.name() + " need a transaction: in autocommit units could be lost between two statements");
        }
    }

    /** Such as {@code tea sale reservations (in tiebreak.reservation, for PT15M)}. */
    @Override
    public String toString() {
        return race.name() + " (in " + rows + ", for " + time + ")";
    }

    @FunctionalInterface
    private interface Insert {
        Instant until(UUID id) throws SQLException;
    }

    /** How a reservation ended. */
    public enum State {
        /** The units are the buyer's: to one who confirms again, as good as a yes. */
        CONFIRMED,
        /** The units were given back on request. */
        CANCELLED,
        /** The time is over; the units were given back, or will be by the next sweep. */
        EXPIRED
    }

    /**
     * What a sweep gave back.
     *
     * @param reservations how many were over
     * @param units how many units of which key; nothing for a row that is gone from the stock
     */
    public record Swept(int reservations, Map<Key, Long> units) {
        /** Keeps a copy. */
        public Swept {
            units = Map.copyOf(units);
        }
    }

    /** What became of a {@link Reservations#hold}. */
    public sealed interface Hold {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Held orRollback();

        /** The units are held, once the transaction has committed, until then by the database's clock. */
        record Held(UUID id, Instant until) implements Hold {
            @Override
            public Held orRollback() {
                return this;
            }
        }

        /** Fewer than n were left, namely {@code left}. */
        record SoldOut(long left) implements Hold {
            @Override
            public Held orRollback() {
                throw new Lost(this);
            }
        }

        /** There is no row of this key. */
        record Absent(Key key) implements Hold {
            @Override
            public Held orRollback() {
                throw new Lost(this);
            }
        }

        /** Nothing was taken and nothing is known: try later. */
        record Busy(int attempts, Duration waited) implements Hold {
            @Override
            public Held orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of a {@link Reservations#confirm}. */
    public sealed interface Confirm {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Confirmed orRollback();

        /** The units are the buyer's once the transaction has committed. */
        record Confirmed(Key key, long n) implements Confirm {
            @Override
            public Confirmed orRollback() {
                return this;
            }
        }

        /** It is not held any more, but was settled like this. */
        record Stale(State now) implements Confirm {
            @Override
            public Confirmed orRollback() {
                throw new Lost(this);
            }
        }

        /** There is no such reservation of this stock. */
        record Absent(Key key) implements Confirm {
            @Override
            public Confirmed orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of a {@link Reservations#cancel}. */
    public sealed interface Cancel {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Cancelled orRollback();

        /** The units are back once the transaction has committed. */
        record Cancelled(Key key, long n) implements Cancel {
            @Override
            public Cancelled orRollback() {
                return this;
            }
        }

        /** It is not held any more, but was settled like this. */
        record Stale(State now) implements Cancel {
            @Override
            public Cancelled orRollback() {
                throw new Lost(this);
            }
        }

        /** There is no such reservation of this stock. */
        record Absent(Key key) implements Cancel {
            @Override
            public Cancelled orRollback() {
                throw new Lost(this);
            }
        }
    }
}
