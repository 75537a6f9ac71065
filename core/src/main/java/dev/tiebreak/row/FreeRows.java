package dev.tiebreak.row;

import dev.tiebreak.Binds;
import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import dev.tiebreak.internal.Query;
import dev.tiebreak.internal.Race;
import dev.tiebreak.row.FreeOptions.Clause;
import dev.tiebreak.row.FreeSql.Assignment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a table of yours of which any free one will do: seats, vouchers, units of stock, tasks.
 *
 * <p>The race: two requests pick the same free row. Here each locks its row while it picks it, and <b>the loser skips</b> to
 * the next free row ({@code FOR NO KEY UPDATE SKIP LOCKED}) instead of waiting; nobody waits for anybody.
 *
 * <pre>{@code
 * static final Table VOUCHER = Table.of("shop", "voucher").keyedBy("code");
 * final FreeRows<Key> vouchers = FreeRows.of(VOUCHER).where("sale_id = ? AND taken_by IS NULL", 7).named("vouchers");
 *
 * Key code = tx.call(c -> vouchers.set("taken_by", customer).claim(c).orRollback()).row();
 * }</pre>
 *
 * <p>Price: one statement and one round trip a claim, whatever the number of rows; one row lock a claimed row until the
 * transaction ends. The rows are picked in a materialized CTE and then updated by key, so no plan can claim more than was
 * asked for. Give the condition an index (a partial one on the free rows is best): every claim passes the rows that others
 * hold. Under REPEATABLE READ and SERIALIZABLE a row that changed since the snapshot is 40001. Not for counts in the
 * thousands, where a row a unit is a lot of rows: see the stock package.
 *
 * <p>{@code where}, {@code orderBy} and {@code setSql} are SQL that you write, never a user's input; values belong into bind
 * parameters. Their columns may be called {@code t.…}. The text of a statement is built once for each shape, whatever the
 * values. Immutable and thread-safe; holds no connection; every word returns a changed copy.
 *
 * @param <T> what a claimed row is handed out as: its {@link Key}, until {@link #returning} says something else
 */
public final class FreeRows<T> {
    private static final long FIRST_PAUSE = Duration.ofMillis(1).toNanos();

    private final FreeOptions options;
    private final List<String> columns;
    private final Mapper<T> mapper;

    private FreeRows(FreeOptions options, List<String> columns, Mapper<T> mapper) {
        this.options = options;
        this.columns = columns;
        this.mapper = mapper;
    }

    /** Rows of a table whose unique key was given with {@link Table#keyedBy}; at first all of them count as free. */
    public static FreeRows<Key> of(Table table) {
        if (table.keyColumns().isEmpty()) {
            throw new IllegalArgumentException("say which columns name a row of " + table + ": .keyedBy(\"…\")");
        }
        return new FreeRows<>(FreeOptions.of(table), table.keyColumns(), rows -> key(table, rows));
    }

    /** When a row is free: a condition in SQL, one {@code ?} a value. A claim must make it false, or the row stays free. */
    public FreeRows<T> where(String condition, Object... values) {
        return with(options.where(Clause.of(condition, values)));
    }

    /**
     * Which free row comes first, in SQL, such as {@code "priority DESC, ends_at"} or, with a value, {@code "abs(price - ?)"};
     * any, if it is never called.
     */
    public FreeRows<T> orderBy(String order, Object... values) {
        return with(options.orderBy(Clause.of(order, values)));
    }

    /** What a claim writes into the row; call it once a column. */
    public FreeRows<T> set(String column, @Nullable Object value) {
        return with(options.claiming(assignment(column, FreeSql.Column.VALUE, value)));
    }

    /**
     * The same with SQL instead of a value, one {@code ?} a value in it: {@code setSql("claimed_at", "clock_timestamp()")},
     * {@code setSql("attempts", "t.attempts + 1")}. {@link #giveBack} does not compare such a column.
     */
    public FreeRows<T> setSql(String column, String expression, @Nullable Object... values) {
        return with(options.claiming(assignment(column, expression, values)));
    }

    /** What {@link #giveBack} writes into the row; call it once a column. */
    public FreeRows<T> backTo(String column, @Nullable Object value) {
        return with(options.freeing(assignment(column, FreeSql.Column.VALUE, value)));
    }

    /**
     * What a claimed row is handed out as: the mapper reads the columns, by their place or name, as they are after the claim.
     * What it throws comes out of the claim, whose rows are claimed by then: the transaction's rollback frees them.
     *
     * @param columns those of the table that the mapper wants, at least one; the names are quoted here
     */
    public <R> FreeRows<R> returning(List<String> columns, Mapper<R> mapper) {
        if (columns.isEmpty()) {
            throw new IllegalArgumentException(
                    "a claimed row of " + options.race().name() + " is made of at least one column");
        }
        return new FreeRows<>(options, List.copyOf(columns), mapper);
    }

    /**
     * How often a claim looks when free rows exist but others hold all of them, at least once; 4 by default. It pauses
     * between looks for 1 ms, doubling, jittered.
     */
    public FreeRows<T> attempts(int atMost) {
        if (atMost < 1) {
            throw new IllegalArgumentException("attempts must be at least 1, not " + atMost);
        }
        return with(options.attempts(atMost));
    }

    /** The race's name in events and errors; the table's name until then. */
    public FreeRows<T> named(String name) {
        return with(options.race(options.race().named(name)));
    }

    /** Every settled claim and give-back is told to the listener; a call that throws is not. */
    public FreeRows<T> listening(RaceListener listener) {
        return with(options.race(options.race().listening(listener)));
    }

    /** Claims one free row. */
    public Claim<T> claim(Connection connection) throws SQLException {
        return claim(connection, 1);
    }

    /**
     * Claims up to n free rows, in their order; fewer if no more are free and not held by others.
     *
     * @param n at least 1
     * @throws IllegalStateException if no {@link #set} says what a claim writes
     */
    public Claim<T> claim(Connection connection, int n) throws SQLException {
        if (n < 1) {
            throw new IllegalArgumentException("n must be at least 1, not " + n);
        }
        if (options.claiming().isEmpty()) {
            throw new IllegalStateException(
                    "say what a claim of " + options.race().name() + " writes: .set(\"status\", \"taken\")");
        }
        String sql = options.claims().of(options.shape(columns));
        Race.Round round = options.race().begin("units");
        do {
            Looked<T> found = Query.run(connection, sql, binds -> bindClaim(binds, n), rows -> read(rows, n));
            if (!found.rows.isEmpty()) {
                return round.settled(new Claim.Claimed<>(found.rows));
            }
            if (!found.held) {
                return round.settled(new Claim.NoneFree<>());
            }
        } while (round.attempts() < options.attempts() && pause(round.attempts()) && round.again(options.attempts()));
        return round.settled(new Claim.Busy<>(round.attempts(), round.waited()));
    }

    /**
     * Makes a claimed row free again, if it still holds everything that {@link #set} wrote: a row that somebody else has
     * claimed since is not given away, and nothing is given back twice. One statement, one round trip.
     *
     * @throws IllegalStateException if no {@link #backTo} says what to write
     */
    public GiveBack giveBack(Connection connection, Key row) throws SQLException {
        if (!row.table().equals(options.table())) {
            throw new IllegalArgumentException(row + " is not a key of " + options.table()
                    + options.table().keyColumns());
        }
        if (options.freeing().isEmpty()) {
            throw new IllegalStateException(
                    "say what giving back to " + options.race().name() + " writes: .backTo(\"status\", \"free\")");
        }
        Race.Round round = options.race().begin("units");
        try (PreparedStatement s = connection.prepareStatement(options.gifts().of(options.shape(columns)))) {
            Binds binds = new Binds(s);
            bind(binds, options.freeing(), false);
            binds.add(row);
            bind(binds, options.claiming(), true);
            return round.settled(s.executeUpdate() == 1 ? new GiveBack.GivenBack(row) : new GiveBack.Absent(row));
        }
    }

    private void bindClaim(Binds binds, int n) throws SQLException {
        bind(binds, options.where());
        bind(binds, options.orderBy());
        binds.add(n);
        bind(binds, options.claiming(), false);
        bind(binds, options.where());
    }

    private static void bind(Binds binds, Clause clause) throws SQLException {
        for (Object value : clause.values()) {
            binds.addObject(value);
        }
    }

    private static void bind(Binds binds, List<Assignment> list, boolean onlyPlain) throws SQLException {
        for (Assignment a : list) {
            if (a.column().isValue() || !onlyPlain) {
                for (Object value : a.values()) {
                    binds.addObject(value);
                }
            }
        }
    }

    private Looked<T> read(ResultSet rows, int n) throws SQLException {
        List<T> claimed = new ArrayList<>();
        while (rows.next()) {
            if (rows.getLong(columns.size() + 1) == 0) {
                return new Looked<>(List.of(), true);
            }
            claimed.add(mapper.map(rows));
        }
        if (claimed.size() > n) {
            throw new IllegalStateException(options.table().keyColumns() + " is not a unique key of " + options.table()
                    + ": " + claimed.size() + " rows have the keys of " + n);
        }
        return new Looked<>(claimed, false);
    }

    private static Key key(Table table, ResultSet row) throws SQLException {
        List<Object> values = new ArrayList<>();
        for (int i = 1; i <= table.keyColumns().size(); i++) {
            values.add(row.getObject(i));
        }
        return new Key(table, values);
    }

    private FreeRows<T> with(FreeOptions changed) {
        return new FreeRows<>(changed, columns, mapper);
    }

    private static Assignment assignment(String column, String expression, @Nullable Object... values) {
        List<@Nullable Object> copy = new ArrayList<>();
        for (Object value : values) {
            copy.add(value);
        }
        return new Assignment(new FreeSql.Column(column, expression), Collections.unmodifiableList(copy));
    }

    /** False if the thread was interrupted: then there is no next look. */
    private static boolean pause(int look) {
        long longest = FIRST_PAUSE << Math.min(look - 1, 5);
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(longest / 2, longest));
        return !Thread.currentThread().isInterrupted();
    }

    /** Such as {@code vouchers (free rows of shop.voucher)}. */
    @Override
    public String toString() {
        return options.race().name() + " (free rows of " + options.table() + ")";
    }

    /** What one look found: rows that are claimed now, or none; then, whether there are free rows that others hold. */
    private record Looked<T>(List<T> rows, boolean held) {}

    /** Makes something of a claimed row. */
    @FunctionalInterface
    public interface Mapper<T> {
        /** Reads the current row, whose first columns are those that were asked for; never null. */
        T map(ResultSet row) throws SQLException;
    }

    /** What became of a {@link FreeRows#claim(Connection, int)}. */
    public sealed interface Claim<T> {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Claimed<T> orRollback();

        /** These rows are yours once the transaction has committed: at least one, in their order. */
        record Claimed<T>(List<T> rows) implements Claim<T> {
            /** Keeps a copy. */
            public Claimed {
                rows = List.copyOf(rows);
            }

            /** The first row: the only one, if one was asked for. */
            public T row() {
                return rows.getFirst();
            }

            @Override
            public Claimed<T> orRollback() {
                return this;
            }
        }

        /** No row is free, not even one that somebody holds and may yet give up. */
        record NoneFree<T>() implements Claim<T> {
            @Override
            public Claimed<T> orRollback() {
                throw new Lost(this);
            }
        }

        /** Rows are free, but other transactions hold all of them: they may be gone at their commit, or back at their rollback. */
        record Busy<T>(int attempts, Duration waited) implements Claim<T> {
            @Override
            public Claimed<T> orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of a {@link FreeRows#giveBack}. */
    public sealed interface GiveBack {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        GivenBack orRollback();

        /** The row is free once the transaction has committed. */
        record GivenBack(Key row) implements GiveBack {
            @Override
            public GivenBack orRollback() {
                return this;
            }
        }

        /** There is no row of this key that holds what the claim wrote. */
        record Absent(Key key) implements GiveBack {
            @Override
            public GivenBack orRollback() {
                throw new Lost(this);
            }
        }
    }
}
