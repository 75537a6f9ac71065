package dev.tiebreak.row;

import dev.tiebreak.Binds;
import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a table of yours of which any free one will do: seats, vouchers, units of stock, tasks.
 *
 * <p>The race: two requests pick the same free row. Here each locks its row while it picks it, and <b>the loser skips</b> to
 * the next free row ({@code FOR NO KEY UPDATE SKIP LOCKED}) instead of waiting; nobody waits for anybody.
 *
 * <pre>{@code
 * static final Table VOUCHER = Table.of("shop", "voucher").keyedBy("code");
 * final FreeRows vouchers = FreeRows.of(VOUCHER).where("sale_id = ? AND taken_by IS NULL", 7).named("vouchers");
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
 * <p>{@code where} and {@code orderBy} are SQL that you write, never a user's input; values belong into bind parameters.
 * Immutable and thread-safe; holds no connection; every word returns a changed copy.
 */
public final class FreeRows {
    private static final long FIRST_PAUSE = Duration.ofMillis(1).toNanos();

    private final Table table;
    private final String where;
    private final List<Object> values;
    private final String orderBy;
    private final List<Assignment> claiming;
    private final List<Assignment> freeing;
    private final int attempts;
    private final String name;
    private final RaceListener listener;

    private FreeRows(
            Table table,
            String where,
            List<Object> values,
            String orderBy,
            List<Assignment> claiming,
            List<Assignment> freeing,
            int attempts,
            String name,
            RaceListener listener) {
        this.table = table;
        this.where = where;
        this.values = values;
        this.orderBy = orderBy;
        this.claiming = claiming;
        this.freeing = freeing;
        this.attempts = attempts;
        this.name = name;
        this.listener = listener;
    }

    /** Rows of a table whose unique key was given with {@link Table#keyedBy}; at first all of them count as free. */
    public static FreeRows of(Table table) {
        if (table.keyColumns().isEmpty()) {
            throw new IllegalArgumentException("say which columns name a row of " + table + ": .keyedBy(\"…\")");
        }
        return new FreeRows(
                table, "TRUE", List.of(), "", List.of(), List.of(), 4, table.toString(), RaceListener.none());
    }

    /** When a row is free: a condition in SQL, one {@code ?} a value. A claim must make it false, or the row stays free. */
    public FreeRows where(String condition, Object... values) {
        List<Object> bound = List.copyOf(Arrays.asList(values));
        return new FreeRows(table, condition, bound, orderBy, claiming, freeing, attempts, name, listener);
    }

    /** Which free row comes first, in SQL, such as {@code "priority DESC, ends_at"}; any, if it is never called. */
    public FreeRows orderBy(String order) {
        return new FreeRows(table, where, values, order, claiming, freeing, attempts, name, listener);
    }

    /** What a claim writes into the row; call it once a column. */
    public FreeRows set(String column, @Nullable Object value) {
        List<Assignment> more = plus(claiming, new Assignment(column, value));
        return new FreeRows(table, where, values, orderBy, more, freeing, attempts, name, listener);
    }

    /** What {@link #giveBack} writes into the row; call it once a column. */
    public FreeRows backTo(String column, @Nullable Object value) {
        List<Assignment> more = plus(freeing, new Assignment(column, value));
        return new FreeRows(table, where, values, orderBy, claiming, more, attempts, name, listener);
    }

    /**
     * How often a claim looks when free rows exist but others hold all of them, at least once; 4 by default. It pauses
     * between looks for 1 ms, doubling, jittered.
     */
    public FreeRows attempts(int atMost) {
        if (atMost < 1) {
            throw new IllegalArgumentException("attempts must be at least 1, not " + atMost);
        }
        return new FreeRows(table, where, values, orderBy, claiming, freeing, atMost, name, listener);
    }

    /** The race's name in events and errors; the table's name until then. */
    public FreeRows named(String race) {
        return new FreeRows(table, where, values, orderBy, claiming, freeing, attempts, race, listener);
    }

    /** Every settled claim and give-back is told to the listener; a call that throws is not. */
    public FreeRows listening(RaceListener raceListener) {
        return new FreeRows(table, where, values, orderBy, claiming, freeing, attempts, name, raceListener.guarded());
    }

    /** Claims one free row. */
    public Claim claim(Connection connection) throws SQLException {
        return claim(connection, 1);
    }

    /**
     * Claims up to n free rows, in their order; fewer if no more are free and not held by others.
     *
     * @param n at least 1
     * @throws IllegalStateException if no {@link #set} says what a claim writes
     */
    public Claim claim(Connection connection, int n) throws SQLException {
        if (n < 1) {
            throw new IllegalArgumentException("n must be at least 1, not " + n);
        }
        if (claiming.isEmpty()) {
            throw new IllegalStateException("say what a claim of " + name + " writes: .set(\"status\", \"taken\")");
        }
        long began = System.nanoTime();
        int made = 0;
        while (true) {
            made++;
            Claim outcome = tryOnce(connection, n);
            if (outcome instanceof Claim.Busy) {
                if (made < attempts && pause(made)) {
                    continue;
                }
                outcome = new Claim.Busy(made, Duration.ofNanos(System.nanoTime() - began));
            }
            settled(outcome, made, began);
            return outcome;
        }
    }

    /**
     * Makes a claimed row free again, if it still holds everything that {@link #set} wrote: a row that somebody else has
     * claimed since is not given away, and nothing is given back twice.
     *
     * @throws IllegalStateException if no {@link #backTo} says what to write
     */
    public GiveBack giveBack(Connection connection, Key row) throws SQLException {
        if (!row.table().equals(table)) {
            throw new IllegalArgumentException(row + " is not a key of " + table + table.keyColumns());
        }
        if (freeing.isEmpty()) {
            throw new IllegalStateException(
                    "say what giving back to " + name + " writes: .backTo(\"status\", \"free\")");
        }
        long began = System.nanoTime();
        String held = claiming.stream()
                .map(a -> " AND t." + Table.quoted(a.column()) + " IS NOT DISTINCT FROM ?")
                .collect(Collectors.joining());
        String sql =
                "UPDATE " + table.sql() + " t SET " + assignments(freeing) + " WHERE " + table.keyMatches("t.") + held;
        GiveBack outcome;
        try (PreparedStatement s = connection.prepareStatement(sql)) {
            Binds binds = new Binds(s);
            addAll(binds, freeing);
            binds.add(row);
            addAll(binds, claiming);
            outcome = s.executeUpdate() == 1 ? new GiveBack.GivenBack(row) : new GiveBack.Absent(row);
        }
        settled(outcome, 1, began);
        return outcome;
    }

    /** Busy here says no more than that free rows exist, all of them held. */
    private Claim tryOnce(Connection connection, int n) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(claimSql())) {
            Binds binds = new Binds(s);
            addWhere(binds);
            binds.add(n);
            addAll(binds, claiming);
            addWhere(binds);
            try (ResultSet rows = s.executeQuery()) {
                List<Key> claimed = new ArrayList<>();
                while (rows.next()) {
                    if (rows.getLong(1) == 0) {
                        return new Claim.Busy(1, Duration.ZERO);
                    }
                    List<Object> key = new ArrayList<>();
                    for (int i = 1; i <= table.keyColumns().size(); i++) {
                        key.add(rows.getObject(i + 1));
                    }
                    claimed.add(new Key(table, key));
                }
                if (claimed.size() > n) {
                    throw new IllegalStateException(table.keyColumns() + " is not a unique key of " + table + ": "
                            + claimed.size() + " rows have the keys of " + n);
                }
                return claimed.isEmpty() ? new Claim.NoneFree() : new Claim.Claimed(claimed);
            }
        }
    }

    private String claimSql() {
        String order = orderBy.isEmpty() ? "" : "\n    ORDER BY " + orderBy + "\n   ";
        return """
                WITH free AS MATERIALIZED (
                    SELECT %1$s FROM %2$s t WHERE (%3$s
                    )%4$s LIMIT ? FOR NO KEY UPDATE SKIP LOCKED),
                numbered AS (
                    SELECT free.*, row_number() OVER () AS place FROM free),
                claimed AS (
                    UPDATE %2$s t SET %5$s FROM numbered WHERE %6$s RETURNING numbered.*)
                (SELECT place, %7$s FROM claimed ORDER BY place)
                UNION ALL
                SELECT 0, %8$s WHERE NOT EXISTS (SELECT FROM free) AND EXISTS (
                    SELECT FROM %2$s t WHERE (%3$s
                    ))""".formatted(
                        each(i -> "t." + column(i) + " AS k" + i, ", "),
                        table.sql(),
                        where,
                        order,
                        assignments(claiming),
                        each(i -> "t." + column(i) + " = numbered.k" + i, " AND "),
                        each(i -> "k" + i, ", "),
                        each(i -> "NULL", ", "));
    }

    private String column(int i) {
        return Table.quoted(table.keyColumns().get(i - 1));
    }

    private String each(java.util.function.IntFunction<String> part, String separator) {
        return IntStream.rangeClosed(1, table.keyColumns().size())
                .mapToObj(part)
                .collect(Collectors.joining(separator));
    }

    private static String assignments(List<Assignment> list) {
        return list.stream().map(a -> Table.quoted(a.column()) + " = ?").collect(Collectors.joining(", "));
    }

    private void addWhere(Binds binds) throws SQLException {
        for (Object value : values) {
            binds.addObject(value);
        }
    }

    private static void addAll(Binds binds, List<Assignment> list) throws SQLException {
        for (Assignment a : list) {
            binds.addObject(a.value());
        }
    }

    /** False if the thread was interrupted: then there is no next look. */
    private static boolean pause(int look) {
        long longest = FIRST_PAUSE << Math.min(look - 1, 5);
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(longest / 2, longest));
        return !Thread.currentThread().isInterrupted();
    }

    private static List<Assignment> plus(List<Assignment> list, Assignment more) {
        List<Assignment> all = new ArrayList<>(list);
        all.removeIf(a -> a.column().equals(more.column()));
        all.add(more);
        return List.copyOf(all);
    }

    private void settled(Object outcome, int made, long began) {
        listener.settled(new RaceListener.Event(
                name, "units", outcome.getClass().getSimpleName(), made, Duration.ofNanos(System.nanoTime() - began)));
    }

    private record Assignment(String column, @Nullable Object value) {
        Assignment {
            if (column.isEmpty()) {
                throw new IllegalArgumentException("a column to write needs a name");
            }
        }
    }

    /** What became of a {@link FreeRows#claim(Connection, int)}. */
    public sealed interface Claim {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        Claimed orRollback();

        /** These rows are yours once the transaction has committed: at least one, in their order. */
        record Claimed(List<Key> rows) implements Claim {
            /** Keeps a copy. */
            public Claimed {
                rows = List.copyOf(rows);
            }

            /** The first row: the only one, if one was asked for. */
            public Key row() {
                return rows.getFirst();
            }

            @Override
            public Claimed orRollback() {
                return this;
            }
        }

        /** No row is free, not even one that somebody holds and may yet give up. */
        record NoneFree() implements Claim {
            @Override
            public Claimed orRollback() {
                throw new Lost(this);
            }
        }

        /** Rows are free, but other transactions hold all of them: they may be gone at their commit, or back at their rollback. */
        record Busy(int attempts, Duration waited) implements Claim {
            @Override
            public Claimed orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of a {@link FreeRows#giveBack}. */
    public sealed interface GiveBack {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
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
