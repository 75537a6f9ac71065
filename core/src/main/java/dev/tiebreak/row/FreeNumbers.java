package dev.tiebreak.row;

import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import dev.tiebreak.internal.LockWait;
import dev.tiebreak.internal.Race;
import dev.tiebreak.internal.Texts;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rows that are numbered 1, 2, 3 within a group without gaps, such as the invoices of a company: each claim inserts the row with
 * the next number.
 *
 * <p>The race: two requests read that 41 is the highest number, both insert 42. The table's unique key lets one of them in; <b>the
 * loser tries again</b> with the next number. This is the one place where a unique key's "no" is a reason to retry. A sequence
 * does not do it: its numbers are lost with every rollback.
 *
 * <pre>{@code
 * static final Table INVOICE = Table.of("invoice").keyedBy("company_id", "no");
 * final FreeNumbers numbers = FreeNumbers.of(INVOICE, "no");
 *
 * long no = tx.call(c -> numbers.claim(c, Map.of("company_id", 4L), Map.of("cents", 99_00L)).orRollback()).number();
 * }</pre>
 *
 * <p><b>Price.</b> One statement and one round trip an attempt, one index look-up, one new row. Without gaps means that the second
 * one <em>waits</em> until the transaction of the first has ended: claim the number last in the transaction, and then commit.
 * {@link #waiting} bounds the wait. No exception and no failed transaction on the way.
 *
 * <p><b>When not.</b> If gaps do not matter: an identity column, where nobody waits.
 *
 * <p>It joins the caller's transaction, or commits by itself in autocommit. Under REPEATABLE READ and SERIALIZABLE a loser gets
 * 40001. Immutable and thread-safe; holds no connection; every word returns a changed copy.
 */
public final class FreeNumbers {
    private final Table table;
    private final String number;
    private final boolean lowest;
    private final long last;
    private final int attempts;
    private final LockWait wait;
    private final Race race;
    private final Texts<List<String>> texts = new Texts<>(this::sql);

    private FreeNumbers(Table table, String number, boolean lowest, long last, int attempts, LockWait wait, Race race) {
        this.table = table;
        this.number = number;
        this.lowest = lowest;
        this.last = last;
        this.attempts = attempts;
        this.wait = wait;
        this.race = race;
    }

    /**
     * Rows of a table of yours.
     *
     * @param table says with {@link Table#keyedBy} which unique key the number is part of (else 42P10); the other columns of the key
     *     name the group
     * @param numberColumn one of the key's columns, a whole number
     */
    public static FreeNumbers of(Table table, String numberColumn) {
        if (!table.keyColumns().contains(numberColumn)) {
            throw new IllegalArgumentException(
                    "column \"" + numberColumn + "\" is not part of the key of " + table + ": " + table.keyColumns());
        }
        return new FreeNumbers(
                table, numberColumn, false, Long.MAX_VALUE, 10, LockWait.asSet(), Race.of(table.toString()));
    }

    /** The lowest number that is free, so that gaps are filled; by default it is the one after the highest. */
    public FreeNumbers lowestFree() {
        return new FreeNumbers(table, number, true, last, attempts, wait, race);
    }

    /** The highest number there is, such as the seats of a hall; no limit by default. */
    public FreeNumbers upTo(long highest) {
        if (highest < 1) {
            throw new IllegalArgumentException("numbers begin at 1, so they cannot end at " + highest);
        }
        return new FreeNumbers(table, number, lowest, highest, attempts, wait, race);
    }

    /** How many numbers are tried when others take them first; 10 by default, at least 1. After that it is {@link Claim.Busy}. */
    public FreeNumbers attempts(int atMost) {
        if (atMost < 1) {
            throw new IllegalArgumentException("attempts must be at least 1, not " + atMost);
        }
        return new FreeNumbers(table, number, lowest, last, atMost, wait, race);
    }

    /**
     * Waits at most this long, at least 1 ms, for another transaction that has the number, then is {@link Claim.Busy}; without it
     * the connection's {@code lock_timeout} holds, and that is an error (55P03). Costs a savepoint.
     */
    public FreeNumbers waiting(Duration atMost) {
        return new FreeNumbers(table, number, lowest, last, attempts, LockWait.atMost(atMost), race);
    }

    /** The race's name in events; the table's name until then. */
    public FreeNumbers named(String name) {
        return new FreeNumbers(table, number, lowest, last, attempts, wait, race.named(name));
    }

    /** Every settled claim is told to the listener; a call that throws is not. */
    public FreeNumbers listening(RaceListener listener) {
        return new FreeNumbers(table, number, lowest, last, attempts, wait, race.listening(listener));
    }

    /**
     * Inserts a row with the next free number.
     *
     * @param group the key's other columns and their values, all of them
     * @param others further columns of the new row
     * @throws SQLException what the database says: 40001 and 40P01 mean that the transaction must be run again; 23505 if another
     *     unique key of the table says no, which no other number would help
     */
    public Claim claim(Connection connection, Map<String, ?> group, Map<String, ? extends @Nullable Object> others)
            throws SQLException {
        List<String> wanted = groupColumns();
        if (!group.keySet().equals(Set.copyOf(wanted))) {
            throw new IllegalArgumentException(
                    "the group of " + table + " is named by " + wanted + ", not by " + group.keySet());
        }
        Map<String, @Nullable Object> sorted = new TreeMap<>(others); // one text of SQL for one set of columns
        String sql = texts.of(List.copyOf(sorted.keySet()));
        Race.Round round = race.begin("unique key");
        do {
            Long claimed = wait.run(
                    connection,
                    round,
                    sql,
                    binds -> {
                        for (int i = 0; i < (lowest ? 2 : 1); i++) {
                            for (String column : wanted) {
                                binds.addObject(group.get(column));
                            }
                        }
                        for (String column : wanted) {
                            binds.addObject(group.get(column));
                        }
                        for (Object value : sorted.values()) {
                            binds.addObject(value);
                        }
                        binds.add(last);
                    },
                    rows -> {
                        boolean unused = rows.next();
                        return rows.getObject(1) != null ? rows.getLong(1) : rows.getBoolean(2) ? FULL : AGAIN;
                    });
            if (claimed == null) {
                break;
            }
            if (claimed == FULL) {
                return round.settled(new Claim.NoneFree());
            }
            if (claimed != AGAIN) {
                return round.settled(new Claim.Claimed(claimed));
            }
        } while (round.again(attempts));
        return round.settled(new Claim.Busy(round.attempts(), round.waited()));
    }

    private static final long FULL = -1;
    private static final long AGAIN = -2;

    private List<String> groupColumns() {
        List<String> columns = new ArrayList<>(table.keyColumns());
        columns.remove(number);
        return columns;
    }

    private String sql(List<String> others) {
        List<String> group = groupColumns();
        String no = Table.quoted(number);
        String matches = group.isEmpty()
                ? "TRUE"
                : group.stream().map(c -> "t." + Table.quoted(c) + " = ?").collect(Collectors.joining(" AND "));
        String next = lowest ? """
                SELECT min(c.no) AS no FROM (
                        SELECT 1 AS no UNION ALL SELECT t.%1$s + 1 FROM %2$s t WHERE %3$s) c
                    WHERE c.no > 0 AND NOT EXISTS (SELECT FROM %2$s t WHERE %3$s AND t.%1$s = c.no)""" : "SELECT greatest(max(t.%1$s), 0) + 1 AS no FROM %2$s t WHERE %3$s";
        List<String> columns = new ArrayList<>(group);
        columns.addAll(others);
        columns.add(number);
        return """
                WITH next AS MATERIALIZED (
                    %s),
                claimed AS (
                    INSERT INTO %s (%s)
                    SELECT %snext.no FROM next WHERE next.no <= ?
                    ON CONFLICT (%s) DO NOTHING RETURNING %s AS no)
                SELECT (SELECT no FROM claimed), next.no > %d FROM next""".formatted(
                        next.formatted(no, table.sql(), matches),
                        table.sql(),
                        columns.stream().map(Table::quoted).collect(Collectors.joining(", ")),
                        "?, ".repeat(columns.size() - 1),
                        table.keyColumns().stream().map(Table::quoted).collect(Collectors.joining(", ")),
                        no,
                        last);
    }

    /** Such as {@code invoice (numbers in invoice.no)}. */
    @Override
    public String toString() {
        return race.name() + " (numbers in " + table + "." + number + ")";
    }

    /** What became of a {@link FreeNumbers#claim}. */
    public sealed interface Claim {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Claimed orRollback();

        /** The row with this number is yours once the transaction has committed. */
        record Claimed(long number) implements Claim {
            @Override
            public Claimed orRollback() {
                return this;
            }
        }

        /** All numbers up to the highest are taken. */
        record NoneFree() implements Claim {
            @Override
            public Claimed orRollback() {
                throw new Lost(this);
            }
        }

        /** Others were faster each time: try later. */
        record Busy(int attempts, Duration waited) implements Claim {
            @Override
            public Claimed orRollback() {
                throw new Lost(this);
            }
        }
    }
}
