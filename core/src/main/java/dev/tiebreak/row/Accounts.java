package dev.tiebreak.row;

import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import dev.tiebreak.internal.LockWait;
import dev.tiebreak.internal.Race;
import dev.tiebreak.internal.Texts;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Rows that hold amounts, such as account balances, between which amounts are moved: the sum never changes.
 *
 * <p>The races: two moves from one account both find enough in it; a move from A to B and one from B to A lock the two rows
 * in opposite order and one of them dies of a deadlock. Here one statement locks both rows in key order, looks, and writes.
 * <b>The loser waits</b> for the rows, and then its balance is looked at again.
 *
 * <pre>{@code
 * static final Table ACCOUNT = Table.of("account").keyedBy("id");
 * final Accounts accounts = Accounts.of(ACCOUNT, "cents").ledger(Table.of("transfer"), "from_id", "to_id", "cents");
 *
 * tx.run(c -> {
 *     accounts.move(c, ACCOUNT.key("id", 1L), ACCOUNT.key("id", 2L), 12_50).orRollback();
 * });
 * }</pre>
 *
 * <p><b>Price.</b> One statement and one round trip, ledger row included, for the winner and for everybody who is told no; two
 * row locks ({@code FOR NO KEY UPDATE}) until the transaction ends.
 *
 * <p><b>When not.</b> Two moves in one transaction can meet those of another one in a deadlock (40P01): let the owner of the
 * transaction run it again. An account through which everything passes, such as the house's own, is one hot row: write
 * ledger rows only, and sum them up later.
 *
 * <p>Amounts are whole numbers: cents, not euros. It joins the caller's transaction, or commits by itself in autocommit. Under
 * REPEATABLE READ and SERIALIZABLE the loser gets 40001. A move that must not happen twice belongs, with its message's id,
 * into an inbox. Immutable and thread-safe; holds no connection; every word returns a changed copy.
 */
public final class Accounts {
    private final Table table;
    private final String balance;
    private final long overdraft;
    private final @Nullable Ledger ledger;
    private final LockWait wait;
    private final Race race;
    private final Texts<List<String>> texts = new Texts<>(this::sql);

    private Accounts(Table table, String balance, long overdraft, @Nullable Ledger ledger, LockWait wait, Race race) {
        this.table = table;
        this.balance = balance;
        this.overdraft = overdraft;
        this.ledger = ledger;
        this.wait = wait;
        this.race = race;
    }

    /**
     * The amounts in a column of a table of yours: {@code bigint}, {@code integer} or {@code smallint}, not null. The table
     * says with {@link Table#keyedBy} which columns name an account.
     */
    public static Accounts of(Table table, String balanceColumn) {
        String unused = table.keyMatches() + Table.quoted(balanceColumn);
        return new Accounts(table, balanceColumn, 0, null, LockWait.asSet(), Race.of(table.toString()));
    }

    /** Lets every account go down to this far below zero; 0 by default. */
    public Accounts overdraft(long most) {
        if (most < 0) {
            throw new IllegalArgumentException("an overdraft is at least 0, not " + most);
        }
        return new Accounts(table, balance, most, ledger, wait, race);
    }

    /**
     * Writes a row for every move, in the same statement: payer, payee and amount. Needs accounts that are named by one
     * column.
     */
    public Accounts ledger(Table entries, String fromColumn, String toColumn, String amountColumn) {
        if (table.keyColumns().size() != 1) {
            throw new IllegalArgumentException("a ledger needs accounts that one column names; those of " + table
                    + " are named by " + table.keyColumns());
        }
        Ledger written = new Ledger(entries, fromColumn, toColumn, amountColumn);
        return new Accounts(table, balance, overdraft, written, wait, race);
    }

    /**
     * Waits at most this long, at least 1 ms, for each of the two rows, then is {@link Move.Busy}; without it the
     * connection's {@code lock_timeout} holds, and that is an error (55P03). Costs a savepoint.
     */
    public Accounts waiting(Duration atMost) {
        return new Accounts(table, balance, overdraft, ledger, LockWait.atMost(atMost), race);
    }

    /** The race's name in events; the table's name until then. */
    public Accounts named(String name) {
        return new Accounts(table, balance, overdraft, ledger, wait, race.named(name));
    }

    /** Every settled move is told to the listener; a call that throws is not. */
    public Accounts listening(RaceListener listener) {
        return new Accounts(table, balance, overdraft, ledger, wait, race.listening(listener));
    }

    /** As {@link #move(Connection, Key, Key, long, Map)} with nothing more in the ledger. */
    public Move move(Connection connection, Key from, Key to, long amount) throws SQLException {
        return move(connection, from, to, amount, Map.of());
    }

    /**
     * Moves the amount, all or nothing.
     *
     * @param amount at least 1
     * @param entry further columns of the ledger row, such as a reference; empty without a {@link #ledger}
     * @throws IllegalArgumentException if {@code from} is {@code to}
     * @throws IllegalStateException if the balance is not a whole number
     * @throws SQLException what the database says: 40001 and 40P01 mean that the transaction must be run again
     */
    public Move move(
            Connection connection, Key from, Key to, long amount, Map<String, ? extends @Nullable Object> entry)
            throws SQLException {
        check(from, to, amount, entry);
        Map<String, @Nullable Object> sorted = new TreeMap<>(entry);
        Race.Round round = race.begin("row locks");
        Move outcome = wait.run(
                connection,
                round,
                texts.of(List.copyOf(sorted.keySet())),
                binds -> {
                    binds.add(overdraft);
                    binds.add(from);
                    binds.add(from);
                    binds.add(to);
                    for (int i = 0; i < 4; i++) {
                        binds.add(amount);
                    }
                    if (ledger != null) {
                        binds.add(amount);
                        for (Object value : sorted.values()) {
                            binds.addObject(value);
                        }
                    }
                },
                rows -> read(rows, from, to, amount));
        return round.settled(outcome != null ? outcome : new Move.Busy(round.attempts(), round.waited()));
    }

    private void check(Key from, Key to, long amount, Map<String, ?> entry) {
        if (amount < 1) {
            throw new IllegalArgumentException("an amount to move is at least 1, not " + amount);
        }
        for (Key key : List.of(from, to)) {
            if (!key.table().equals(table)) {
                throw new IllegalArgumentException(key + " is not a key of " + table + table.keyColumns());
            }
        }
        if (from.equals(to)) {
            throw new IllegalArgumentException("a move from " + from + " to itself");
        }
        if (ledger == null && !entry.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no ledger for the columns " + entry.keySet() + ": say which with .ledger(…)");
        }
    }

    /*
     * `ends` locks the rows' newest versions, in key order since the locks are taken above the sort. The UPDATE's snapshot
     * may be older than those; it finds the row changed, held by its own transaction, and goes on with the newest version.
     */
    private String sql(List<String> entryColumns) {
        return """
                WITH ends AS MATERIALIZED (
                    SELECT %1$s, t.%2$s AS balance, least(CAST(t.%2$s AS numeric) + ?, 9223372036854775807) AS available,
                        CASE pg_typeof(t.%2$s) WHEN CAST('bigint' AS regtype) THEN 9223372036854775807
                            WHEN CAST('integer' AS regtype) THEN 2147483647 WHEN CAST('smallint' AS regtype) THEN 32767
                            END AS most,
                        (%3$s) AS payer
                    FROM %4$s t WHERE (%3$s) OR (%3$s) ORDER BY %5$s FOR NO KEY UPDATE),
                seen AS MATERIALIZED (
                    SELECT count(*) FILTER (WHERE payer) AS payers, count(*) FILTER (WHERE NOT payer) AS payees,
                        max(available) FILTER (WHERE payer) AS available,
                        max(CAST(most AS numeric) - balance) FILTER (WHERE NOT payer) AS room
                    FROM ends),
                moved AS (
                    UPDATE %4$s t SET %2$s = t.%2$s + CASE WHEN e.payer THEN -? ELSE ? END
                    FROM ends e, seen v
                    WHERE %6$s AND v.payers = 1 AND v.payees = 1 AND v.available >= ? AND v.room >= ?
                    RETURNING e.payer, t.%2$s AS balance)%7$s
                SELECT v.payers, v.payees, v.available, v.room, (SELECT balance FROM moved WHERE payer),
                    (SELECT balance FROM moved WHERE NOT payer)
                FROM seen v""".formatted(
                        each(i -> "t." + column(i) + " AS k" + i, ", "),
                        Table.quoted(balance),
                        table.keyMatches("t."),
                        table.sql(),
                        each(i -> "t." + column(i), ", "),
                        each(i -> "t." + column(i) + " = e.k" + i, " AND "),
                        ledger == null ? "" : ledger.insert(entryColumns));
    }

    private String column(int i) {
        return Table.quoted(table.keyColumns().get(i - 1));
    }

    private String each(IntFunction<String> part, String separator) {
        return IntStream.rangeClosed(1, table.keyColumns().size())
                .mapToObj(part)
                .collect(Collectors.joining(separator));
    }

    private Move read(ResultSet rows, Key from, Key to, long amount) throws SQLException {
        boolean unused = rows.next();
        if (rows.getLong(1) > 1 || rows.getLong(2) > 1) {
            throw new IllegalStateException(table.keyColumns() + " is not a unique key of " + table);
        }
        if (rows.getLong(1) == 0) {
            return new Move.Absent(from);
        }
        if (rows.getLong(2) == 0) {
            return new Move.Absent(to);
        }
        if (rows.getObject(3) == null || rows.getObject(4) == null) {
            throw new IllegalStateException("the balance " + table + "." + balance + " must be a whole number (bigint,"
                    + " integer or smallint) and not null: count in cents");
        }
        long available = rows.getLong(3);
        if (available < amount) {
            return new Move.Insufficient(available);
        }
        long room = rows.getLong(4);
        if (room < amount) {
            return new Move.Overflow(room);
        }
        if (rows.getObject(5) == null || rows.getObject(6) == null) {
            throw new IllegalStateException(
                    "both accounts are locked and there is enough, yet the UPDATE changed no row: a"
                            + " trigger, rule or row security policy on " + table + " suppresses it");
        }
        return new Move.Moved(rows.getLong(5), rows.getLong(6));
    }

    /** Such as {@code account (balances in account.cents)}. */
    @Override
    public String toString() {
        return race.name() + " (balances in " + table + "." + balance + ")";
    }

    private record Ledger(Table table, String from, String to, String amount) {
        String insert(List<String> more) {
            String columns = more.stream().map(c -> ", " + Table.quoted(c)).collect(Collectors.joining());
            return """
                    ,
                    entry AS (
                        INSERT INTO %s (%s, %s, %s%s)
                        SELECT f.k1, g.k1, ?%s FROM moved m, ends f, ends g WHERE m.payer AND f.payer AND NOT g.payer)""".formatted(
                            table.sql(),
                            Table.quoted(from),
                            Table.quoted(to),
                            Table.quoted(amount),
                            columns,
                            ", ?".repeat(more.size()));
        }
    }

    /** What became of a {@link Accounts#move(Connection, Key, Key, long)}. */
    public sealed interface Move {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Moved orRollback();

        /** The amount is moved once the transaction has committed; these are the balances then. */
        record Moved(long payer, long payee) implements Move {
            @Override
            public Moved orRollback() {
                return this;
            }
        }

        /** The payer has only this much, overdraft included; nothing was moved. */
        record Insufficient(long available) implements Move {
            @Override
            public Moved orRollback() {
                throw new Lost(this);
            }
        }

        /** The payee's balance can take only this much more before its column's type is full; nothing was moved. */
        record Overflow(long room) implements Move {
            @Override
            public Moved orRollback() {
                throw new Lost(this);
            }
        }

        /** There is no such account; nothing was moved. */
        record Absent(Key key) implements Move {
            @Override
            public Moved orRollback() {
                throw new Lost(this);
            }
        }

        /** The rows were not free in time; nothing was moved. */
        record Busy(int attempts, Duration waited) implements Move {
            @Override
            public Moved orRollback() {
                throw new Lost(this);
            }
        }
    }
}
