package dev.tiebreak.lock;

import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import dev.tiebreak.internal.Query;
import dev.tiebreak.internal.Race;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Names of which each has one holder for a while: for work that is longer than a transaction or not in the database at all.
 *
 * <p>The race: two servers start the same nightly job, or think they are the leader. One of them gets the {@link Lease};
 * <b>the loser</b> is told who has it and until when, or waits a bounded time for it ({@link #waiting}). A holder that dies
 * loses the lease when its time is over, and nobody has to clean up.
 *
 * <pre>{@code
 * final Leases leases = Leases.on(dataSource).lasting(Duration.ofSeconds(30));
 *
 * switch (leases.hold("nightly report")) {
 *     case Hold.Held held -> {
 *         try (Lease lease = held.lease()) {
 *             tx.run(c -> {
 *                 lease.fence(c).orRollback();     // refused if somebody else has held it since
 *                 report.write(c);
 *             });
 *         }
 *     }
 *     case Hold.OwnedBy other -> log.info("{} does it", other.holder());
 *     case Hold.Busy busy -> log.info("not now");
 * }
 * }</pre>
 *
 * <p><b>A lease does not stop its holder.</b> A process that is paused (a garbage collection, a frozen virtual machine) past its
 * time goes on as if it still had it. So every write that the lease guards must check the {@linkplain Lease#token() fencing
 * token}: in this database with {@link Lease#fence}, elsewhere by refusing a token that is lower than one already seen.
 *
 * <p><b>Price.</b> Taking it: one statement on a connection of its own, committed to disk; a loser pays one read more. Giving it
 * back: one statement, committed with {@code synchronous_commit=off} (a crash of the server that forgets it only makes the lease
 * last its full time), which was not measured to be faster than a full commit. While it is held, one update each third of its time.
 *
 * <p><b>When not.</b> For anything that one transaction can do: a row lock or an {@link AdvisoryLock} ends exactly with it.
 *
 * <p>Only the database's clock counts ({@code clock_timestamp()}), never that of a holder. It keeps the table {@code
 * tiebreak.lease}, which {@code Schema} installs. Do not call it inside of a transaction: it takes a second connection. Immutable
 * and thread-safe; every word returns a changed copy.
 */
public final class Leases {
    private static final int ATTEMPTS = 4;
    private static final long FIRST_PAUSE = Duration.ofMillis(5).toNanos();

    private final DataSource source;
    private final Table table;
    private final String holder;
    private final Duration time;
    private final Duration atLeast;
    private final boolean renewed;
    private final Duration wait;
    private final Race race;

    private Leases(
            DataSource source,
            Table table,
            String holder,
            Duration time,
            Duration atLeast,
            boolean renewed,
            Duration wait,
            Race race) {
        this.source = source;
        this.table = table;
        this.holder = holder;
        this.time = time;
        this.atLeast = atLeast;
        this.renewed = renewed;
        this.wait = wait;
        this.race = race;
    }

    /** Leases of 30 seconds that renew themselves, taken in the name of this process, with no waiting. */
    public static Leases on(DataSource source) {
        return new Leases(
                source,
                Table.of("tiebreak", "lease"),
                ManagementFactory.getRuntimeMXBean().getName(),
                Duration.ofSeconds(30),
                Duration.ZERO,
                true,
                Duration.ZERO,
                Race.of("leases"));
    }

    /** The library's tables are in a schema of this name instead of {@code tiebreak}. */
    public Leases in(String schema) {
        Table other = Table.of(schema, "lease");
        return new Leases(source, other, holder, time, atLeast, renewed, wait, race);
    }

    /** Who losers are told has it; the process's id and host by default. */
    public Leases as(String name) {
        return new Leases(source, table, name, time, atLeast, renewed, wait, race);
    }

    /**
     * How long a holder that is never heard of again keeps the others out; 30 s by default, at least 100 ms. Longer than the
     * pauses and network failures that a holder should survive.
     */
    public Leases lasting(Duration most) {
        if (most.toMillis() < 100) {
            throw new IllegalArgumentException("a lease lasts at least 100 ms, not " + most);
        }
        return new Leases(source, table, holder, most, atLeast, renewed, wait, race);
    }

    /**
     * How long the name stays taken though the lease was given back earlier; not at all by default. For jobs so short that
     * another server, whose schedule runs a little behind, would do them once more.
     */
    public Leases atLeast(Duration least) {
        if (least.isNegative()) {
            throw new IllegalArgumentException("a lease cannot last at least " + least);
        }
        return new Leases(source, table, holder, time, least, renewed, wait, race);
    }

    /** Leases that are not renewed: they last their time and no longer. No thread is started for them. */
    public Leases unrenewed() {
        return new Leases(source, table, holder, time, atLeast, false, wait, race);
    }

    /** {@link #hold} tries again for at most this long, then is told who has it; by default it tries once. */
    public Leases waiting(Duration atMost) {
        if (atMost.isNegative()) {
            throw new IllegalArgumentException("nobody can wait for " + atMost);
        }
        return new Leases(source, table, holder, time, atLeast, renewed, atMost, race);
    }

    /** The race's name in events; {@code leases} until then. */
    public Leases named(String name) {
        return new Leases(source, table, holder, time, atLeast, renewed, wait, race.named(name));
    }

    /** Every settled {@link #hold} is told to the listener; a call that throws is not. */
    public Leases listening(RaceListener listener) {
        return new Leases(source, table, holder, time, atLeast, renewed, wait, race.listening(listener));
    }

    /**
     * Takes the lease of this name.
     *
     * @throws SQLException what the database says: 42P01 if the table is not installed
     * @throws InterruptedException if the thread is interrupted while it waits for its next attempt
     */
    public Hold hold(String name) throws SQLException, InterruptedException {
        Race.Round round = race.begin("lease");
        while (true) {
            Hold outcome = attempt(name, round);
            Duration left = wait.minus(round.waited());
            if (outcome instanceof Hold.Held || left.isNegative() || left.isZero()) {
                return round.settled(outcome);
            }
            pause(round.attempts(), left);
            boolean unused = round.again(Integer.MAX_VALUE);
        }
    }

    private Hold attempt(String name, Race.Round round) throws SQLException {
        try (Borrowed borrowed = Borrowed.from(source)) {
            for (int i = 0; i < ATTEMPTS; i++) {
                long asked = System.nanoTime();
                Grant grant = take(borrowed.connection(), name);
                if (grant == null) {
                    Hold.OwnedBy other = owner(borrowed.connection(), name);
                    if (other != null) {
                        return other;
                    }
                    grant = first(borrowed.connection(), name);
                }
                if (grant != null) {
                    Lease lease = new Lease(this, name, grant.token, grant.at, asked);
                    if (renewed) {
                        lease.keepAlive();
                    }
                    return new Hold.Held(lease);
                }
            }
            return new Hold.Busy(round.attempts(), round.waited());
        }
    }

    /** Takes over a lease whose time is over; waits for a write that its last holder has fenced, but not for ever. */
    private @Nullable Grant take(Connection c, String name) throws SQLException {
        String sql = """
                SELECT set_config('lock_timeout', ?, true);
                UPDATE %s SET token = token + 1, holder = ?, until = clock_timestamp() + ? * interval '1 millisecond'
                WHERE name = ? AND until <= clock_timestamp() RETURNING token, clock_timestamp()""".formatted(table.sql());
        try {
            return Query.<@Nullable Grant>run(
                    c,
                    sql,
                    1,
                    binds -> {
                        binds.addObject(lockTimeout());
                        binds.addObject(holder);
                        binds.add(time.toMillis());
                        binds.addObject(name);
                    },
                    Leases::grant);
        } catch (SQLException e) {
            if ("55P03".equals(e.getSQLState())) {
                return null;
            }
            throw e;
        }
    }

    /** The very first lease of a name. */
    private @Nullable Grant first(Connection c, String name) throws SQLException {
        String sql = """
                INSERT INTO %s (name, token, holder, until)
                VALUES (?, 1, ?, clock_timestamp() + ? * interval '1 millisecond')
                ON CONFLICT DO NOTHING RETURNING token, clock_timestamp()""".formatted(table.sql());
        return Query.<@Nullable Grant>run(
                c,
                sql,
                binds -> {
                    binds.addObject(name);
                    binds.addObject(holder);
                    binds.add(time.toMillis());
                },
                Leases::grant);
    }

    private Hold.@Nullable OwnedBy owner(Connection c, String name) throws SQLException {
        String sql = "SELECT holder, token, until FROM %s WHERE name = ? AND until > clock_timestamp()"
                .formatted(table.sql());
        return Query.<Hold.@Nullable OwnedBy>run(
                c,
                sql,
                binds -> binds.addObject(name),
                rows -> rows.next() ? new Hold.OwnedBy(rows.getString(1), rows.getLong(2), instant(rows, 3)) : null);
    }

    private static @Nullable Grant grant(ResultSet rows) throws SQLException {
        return rows.next() ? new Grant(rows.getLong(1), instant(rows, 2)) : null;
    }

    static Instant instant(ResultSet rows, int column) throws SQLException {
        return rows.getObject(column, OffsetDateTime.class).toInstant();
    }

    @SuppressWarnings("ThreadSleep") // what is waited for is in another process
    private static void pause(int attempt, Duration left) throws InterruptedException {
        long most = FIRST_PAUSE << Math.min(attempt - 1, 5);
        TimeUnit.NANOSECONDS.sleep(
                Math.min(left.toNanos(), ThreadLocalRandom.current().nextLong(most / 2, most + 1)));
    }

    DataSource source() {
        return source;
    }

    /** No statement on a lease waits for longer than the lease itself. */
    String lockTimeout() {
        return Long.toString(time.toMillis());
    }

    Table table() {
        return table;
    }

    Duration time() {
        return time;
    }

    Duration atLeast() {
        return atLeast;
    }

    /** Such as {@code leases (in tiebreak.lease, for PT30S)}. */
    @Override
    public String toString() {
        return race.name() + " (in " + table + ", for " + time + ")";
    }

    private record Grant(long token, Instant at) {}

    /** What became of a {@link Leases#hold}. */
    public sealed interface Hold {
        /** The winning record, or {@link Lost}. */
        @CanIgnoreReturnValue
        Held orRollback();

        /** The lease is yours: close it. */
        record Held(Lease lease) implements Hold {
            @Override
            public Held orRollback() {
                return this;
            }
        }

        /**
         * Somebody else has it.
         *
         * @param token the holder's
         * @param until by the database's clock, if it is not renewed or given back
         */
        record OwnedBy(String holder, long token, Instant until) implements Hold {
            @Override
            public Held orRollback() {
                throw new Lost(this);
            }
        }

        /** Others took it and gave it back each time in between: try later. */
        record Busy(int attempts, Duration waited) implements Hold {
            @Override
            public Held orRollback() {
                throw new Lost(this);
            }
        }
    }
}
