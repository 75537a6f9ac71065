package dev.tiebreak.lock;

import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Lost;
import dev.tiebreak.internal.Query;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A name held for a while, with the token that proves it; made by {@link Leases#hold}.
 *
 * <p>It renews itself each third of its time on a virtual thread, until it is closed or {@linkplain #lost lost}. Closing gives it
 * back; a process that dies need not. Thread-safe.
 */
public final class Lease implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Lease.class.getName());

    private final Leases leases;
    private final String name;
    private final long token;
    private final Instant since;
    private final CompletableFuture<String> lost = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closing = lock.newCondition();
    private boolean closed;
    private volatile long heard; // when the last renewal that succeeded was asked for

    Lease(Leases leases, String name, long token, Instant since, long asked) {
        this.leases = leases;
        this.name = name;
        this.token = token;
        this.since = since;
        this.heard = asked;
    }

    /** The name that is held. */
    public String name() {
        return name;
    }

    /**
     * The fencing token: higher than that of every lease of this name before. Whoever is written to must refuse a token that is
     * lower than the highest it has seen, such as {@code UPDATE … SET fence = ? WHERE fence <= ?}.
     */
    public long token() {
        return token;
    }

    /** When it was taken, by the database's clock. */
    public Instant since() {
        return since;
    }

    /**
     * Completes when the lease is found to be lost, with the reason; never, if it is closed before. It may come late: a holder
     * that is paused hears of it only afterwards. It is a reason to stop working, not a guard: that is {@link #fence}.
     */
    public CompletableFuture<String> lost() {
        return lost.copy();
    }

    /** Whether the lease is known to be lost; also if its time has passed and no renewal has come through. */
    public boolean isLost() {
        return lost.isDone() || System.nanoTime() - heard > leases.time().toNanos();
    }

    /**
     * Checks, inside of the transaction that writes what the lease guards, that nobody else has held it since; and keeps it so
     * until that transaction ends.
     *
     * <p>One statement, one round trip, one shared lock on the lease's row: a renewal and a takeover wait for the transaction's
     * end, so it should be shorter than a third of the lease. A lease whose time has passed, but which nobody has taken, is still
     * good. Under REPEATABLE READ and SERIALIZABLE a change of the row since the snapshot is 40001.
     *
     * @throws IllegalStateException in autocommit, where the check would be over before the write
     */
    public Fence fence(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("the fence of lease \"" + name
                    + "\" needs the transaction of the write that it guards; this connection is in autocommit");
        }
        String sql = "SELECT token FROM %s WHERE name = ? FOR SHARE"
                .formatted(leases.table().sql());
        long now = Query.run(
                connection,
                sql,
                binds -> binds.addObject(name),
                rows -> rows.next() ? rows.getLong(1) : Long.MAX_VALUE);
        return now == token ? new Fence.Fenced(token) : new Fence.Stale(now);
    }

    /**
     * Makes the lease last its full time from now on; false if somebody else has taken it.
     *
     * @throws SQLException what the database says; 55P03 if a {@link #fence} was in the way for the lease's whole time
     */
    public boolean renew() throws SQLException {
        String sql = """
                SELECT set_config('lock_timeout', ?, true);
                UPDATE %s SET until = clock_timestamp() + ? * interval '1 millisecond' WHERE name = ? AND token = ?
                RETURNING token""".formatted(leases.table().sql());
        long asked = System.nanoTime();
        boolean renewed;
        try (Borrowed borrowed = Borrowed.from(leases.source())) {
            renewed = Query.run(
                    borrowed.connection(),
                    sql,
                    1,
                    binds -> {
                        binds.addObject(leases.lockTimeout());
                        binds.add(leases.time().toMillis());
                        binds.addObject(name);
                        binds.add(token);
                    },
                    rows -> rows.next());
        }
        if (renewed) {
            heard = asked;
        } else {
            lose("another holder has taken it");
        }
        return renewed;
    }

    /** Renews until it is closed or lost. */
    void keepAlive() {
        Thread.ofVirtual().name("tiebreak lease " + name).start(this::beat);
    }

    private void beat() {
        while (!closedWithin(leases.time().toNanos() / 3)) {
            try {
                if (!renew()) {
                    return;
                }
            } catch (SQLException | RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "lease \"" + name + "\" could not be renewed; trying again", e);
            }
            if (System.nanoTime() - heard > leases.time().toNanos()) {
                lose("its time passed and no renewal came through");
                return;
            }
        }
    }

    private boolean closedWithin(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (!closed && left > 0) {
                left = closing.awaitNanos(left);
            }
            return closed;
        } catch (InterruptedException e) {
            return true; // nobody interrupts this thread but the JVM's end
        } finally {
            lock.unlock();
        }
    }

    private void lose(String reason) {
        if (lost.complete(reason)) {
            LOG.log(System.Logger.Level.WARNING, "lease \"" + name + "\" with token " + token + " is lost: " + reason);
        }
    }

    /**
     * Stops renewing and gives the lease back, so that the next one can have it at once; if it was to last {@linkplain
     * Leases#atLeast at least} some time, from then on. Closing twice does nothing. A failure is logged, also if a transaction
     * with a {@link #fence} stays open for the lease's whole time: the lease then ends by itself.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            closing.signalAll();
        } finally {
            lock.unlock();
        }
        String sql = """
                SELECT set_config('synchronous_commit', 'off', true), set_config('lock_timeout', ?, true);
                UPDATE %s SET until = least(until, greatest(clock_timestamp(), ? + ? * interval '1 millisecond'))
                WHERE name = ? AND token = ? RETURNING token""".formatted(leases.table().sql());
        try (Borrowed borrowed = Borrowed.from(leases.source())) {
            boolean ours = Query.run(
                    borrowed.connection(),
                    sql,
                    1,
                    binds -> {
                        binds.addObject(leases.lockTimeout());
                        binds.addObject(since.atOffset(ZoneOffset.UTC));
                        binds.add(leases.atLeast().toMillis());
                        binds.addObject(name);
                        binds.add(token);
                    },
                    rows -> rows.next());
            if (!ours) {
                lose("another holder had taken it before it was given back");
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "lease \"" + name + "\" could not be given back; it ends by itself",
                    e);
        }
    }

    /** Such as {@code lease "nightly report" (token 7)}. */
    @Override
    public String toString() {
        return "lease \"" + name + "\" (token " + token + ")";
    }

    /** What a {@link Lease#fence} found. */
    public sealed interface Fence {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Fenced orRollback();

        /** Nobody has held it since, and nobody can before this transaction has ended. */
        record Fenced(long token) implements Fence {
            @Override
            public Fenced orRollback() {
                return this;
            }
        }

        /** Somebody has held it since: {@code now} is the highest token. What this holder writes must not be written. */
        record Stale(long now) implements Fence {
            @Override
            public Fenced orRollback() {
                throw new Lost(this);
            }
        }
    }
}
