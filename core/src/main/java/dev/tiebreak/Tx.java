package dev.tiebreak;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs a body of statements as one transaction, and returns only if the server committed it.
 *
 * <p>The race it settles is the one between a program and its own assumptions. A statement that fails leaves a PostgreSQL
 * transaction able only to roll back; when the error is caught and forgotten, the driver's {@code commit()} returns
 * normally all the same, and what was written before is gone. {@code Tx} looks at the transaction's state before it commits
 * and throws {@link TxException.NotCommitted} with the original error. The loser of a race gets a {@link TxException} that
 * says which: {@link TxException} lists the verdicts by SQLSTATE.
 *
 * <pre>{@code
 * Tx tx = Tx.on(dataSource);
 * Receipt receipt = tx.call(c -> {
 *     tea.take(c, key, 1).orRollback();
 *     return orders.insert(c, order);
 * });
 * }</pre>
 *
 * <p>What the body throws comes out as it is and rolls back, with two exceptions: an {@link SQLException} becomes the {@link
 * TxException} of its SQLSTATE, and so does whatever carries 40001 or 40P01 down its cause chain ({@link
 * TxException.Conflict}).
 *
 * <p><b>Price.</b> One connection for the length of the call and the round trip of COMMIT; BEGIN rides with the first
 * statement. A level, {@code readOnly} or {@code within} together cost one more round trip, at the start. Everything is
 * local to the transaction, and auto-commit is put back: the pool gets its connection as it gave it.
 *
 * <p><b>When not.</b> Inside a transaction that somebody else began (Spring's, jOOQ's, Hibernate's): hand that transaction's
 * connection to the races directly. A {@code Tx} inside the body of a {@code Tx}, a transaction-aware {@code DataSource}, and
 * a connection already in a transaction are refused with {@link TxException.Misuse}.
 *
 * <p>Immutable and thread-safe: a field of the application. READ COMMITTED (more exactly, the level that the connection has
 * by default) and no retry unless told otherwise.
 */
public final class Tx {
    static final String AWARE =
            "a transaction-aware DataSource hands out the connection of somebody else's transaction,"
                    + " which Tx must not commit: give Tx the pool itself, and inside such a transaction hand its connection to"
                    + " the race directly";

    private final DataSource dataSource;
    private final String level;
    private final boolean readOnly;
    private final @Nullable Retry retry;
    private final @Nullable Duration within;

    private Tx(
            DataSource dataSource, String level, boolean readOnly, @Nullable Retry retry, @Nullable Duration within) {
        this.dataSource = dataSource;
        this.level = level;
        this.readOnly = readOnly;
        this.retry = retry;
        this.within = within;
    }

    /**
     * A runner of transactions on connections of this source, pooled or not, with auto-commit on or off.
     *
     * @throws TxException.Misuse if the source hands out connections of a transaction that is not ours
     */
    public static Tx on(DataSource dataSource) {
        if (Spring.isTransactionAware(dataSource)) {
            throw new TxException.Misuse(AWARE);
        }
        return new Tx(dataSource, "", false, null, null);
    }

    /**
     * Whether the current thread runs the body of a transaction: what commits for itself asks, to refuse.
     */
    public static boolean isRunning() {
        return Nesting.inBody();
    }

    /** The same at READ COMMITTED, said aloud: for a database or a pool whose own default is another level. */
    public Tx readCommitted() {
        return new Tx(dataSource, "READ COMMITTED", readOnly, retry, within);
    }

    /** The same at REPEATABLE READ: one snapshot for the whole body; a write that lost a race is a 40001. */
    public Tx repeatableRead() {
        return new Tx(dataSource, "REPEATABLE READ", readOnly, retry, within);
    }

    /** The same at SERIALIZABLE: as if bodies ran one after the other; the losers get 40001, some only at COMMIT. */
    public Tx serializable() {
        return new Tx(dataSource, "SERIALIZABLE", readOnly, retry, within);
    }

    /** The same, refusing to write (25006). */
    public Tx readOnly() {
        return new Tx(dataSource, level, true, retry, within);
    }

    /**
     * The same, running the whole body again on 40001 and 40P01, with a connection taken anew. The body must be fit for
     * that: no effects outside of the database.
     */
    public Tx retrying(Retry retry) {
        return new Tx(dataSource, level, readOnly, retry, within);
    }

    /**
     * The same, within a limit for the whole call, retries included; at least 1 ms, no limit by default.
     *
     * <p>In each attempt no lock is waited for longer than nine tenths of what is left (55P03, {@link
     * TxException.LockNotAvailable}), no statement runs longer than what is left (57014, {@link
     * TxException.StatementCancelled}), and no pause between statements lasts longer than that (25P03, {@link
     * TxException.IdleTooLong}). Waiting for a connection is bounded by the pool's own setting.
     */
    public Tx within(Duration limit) {
        return new Tx(dataSource, level, readOnly, retry, Retry.positive(limit));
    }

    /**
     * Runs the body and commits; returns what the body returned only if the server has committed.
     *
     * @throws X what the body threw; the transaction was rolled back
     * @throws TxException if the transaction did not commit for a reason of the database's
     */
    public <R extends @Nullable Object, X extends Exception> R call(Body<R, X> body) throws X {
        Retry again = retry;
        Nesting outer = Nesting.enterBody(dataSource, again != null);
        try {
            long start = within == null ? 0 : System.nanoTime();
            if (again == null) {
                return once(body, start);
            }
            return again.<R, X>loop(() -> once(body, start), again.limit(within));
        } finally {
            Nesting.leave(outer);
        }
    }

    /** As {@link #call}, for a body that returns nothing. */
    public <X extends Exception> void run(Work<X> work) throws X {
        Boolean unused = call(c -> {
            work.run(c);
            return true;
        });
    }

    private <R extends @Nullable Object, X extends Exception> R once(Body<R, X> body, long start) throws X {
        try (Attempt attempt = Attempt.on(dataSource)) {
            try {
                attempt.begin(settings(start));
                R result = body.run(attempt.connection());
                attempt.commit();
                return result;
            } catch (SQLException e) {
                attempt.rollback(e);
                throw Attempt.verdict(e);
            } catch (Throwable t) {
                attempt.rollback(t);
                SQLException conflict = t instanceof TxException ? null : SqlStates.conflict(t);
                if (conflict != null) {
                    throw new TxException.Conflict(SqlStates.of(conflict), t);
                }
                throw t;
            }
        }
    }

    /** What is sent before the body, as one round trip; empty if there is nothing to say. */
    private String settings(long start) {
        if (level.isEmpty() && !readOnly && within == null) {
            return "";
        }
        List<String> settings = new ArrayList<>(5);
        if (!level.isEmpty()) {
            settings.add("SET TRANSACTION ISOLATION LEVEL " + level);
        }
        if (readOnly) {
            settings.add("SET TRANSACTION READ ONLY");
        }
        if (within != null) {
            long left = Math.max(1, within.toMillis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
            long lock = Math.max(1, left * 9 / 10);
            long statement = Math.max(left, lock + 1);
            settings.add("SET LOCAL lock_timeout = " + lock);
            settings.add("SET LOCAL statement_timeout = " + statement);
            settings.add("SET LOCAL idle_in_transaction_session_timeout = " + statement);
        }
        return String.join("; ", settings);
    }

    /** A body that returns something; its own checked exceptions come out typed. */
    @FunctionalInterface
    public interface Body<R extends @Nullable Object, X extends Exception> {
        /** Runs the statements; the connection is the transaction's, and neither to be committed nor to be closed. */
        R run(Connection c) throws SQLException, X;
    }

    /** A body that returns nothing. */
    @FunctionalInterface
    public interface Work<X extends Exception> {
        /** Runs the statements; the connection is the transaction's, and neither to be committed nor to be closed. */
        void run(Connection c) throws SQLException, X;
    }
}
