package dev.tiebreak;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs whole transactions again when another transaction won: a few times, a little later each time, then says no.
 *
 * <p>Only 40001 (serialization failure) and 40P01 (deadlock) are tried again, found anywhere down the cause chain, so
 * that Spring's, jOOQ's and Hibernate's exceptions work as the driver's do. 23505 (unique violation) is an answer and not
 * a failure to be retried. A plan that a migration made stale (0A000, "cached plan must not change result type") is made
 * anew by the next attempt, at once. Everything else comes out as it was thrown.
 *
 * <p>Give it to a {@link Tx} with {@link Tx#retrying}, or put it around any work that begins and ends its own
 * transaction, a {@code @Transactional} method too:
 *
 * <pre>{@code
 * Retry.adaptive().run(() -> service.transfer(from, to, amount));
 * }</pre>
 *
 * <p>Never put it <em>inside</em> a transaction: the part before it would not be run again. Inside a {@link Tx} body, or
 * around a retrying {@code Tx} or another {@code Retry}, it is refused with {@link TxException.Misuse}. The waits are drawn
 * at random between half and all of 8, 16, 32 … ms (256 ms at most), so that two losers do not meet again; the thread
 * sleeps and holds no connection. An interrupted thread does not try again. Immutable and thread-safe.
 */
public final class Retry {
    private static final long FIRST_WAIT = Duration.ofMillis(8).toNanos();
    private static final int DOUBLINGS = 5;

    private final int attempts;
    private final @Nullable Duration limit;

    private Retry(int attempts, @Nullable Duration limit) {
        this.attempts = attempts;
        this.limit = limit;
    }

    /** Four attempts: enough for two people at one row, no plan for a thousand at one row. */
    public static Retry adaptive() {
        return new Retry(4, null);
    }

    /** The same with at most this many attempts, the first one included; at least 1. */
    public Retry attempts(int atMost) {
        if (atMost < 1) {
            throw new IllegalArgumentException("attempts must be at least 1, but were " + atMost);
        }
        return new Retry(atMost, limit);
    }

    /** The same, with no attempt begun later than this after the first one began; no limit by default. */
    public Retry within(Duration atMost) {
        return new Retry(attempts, positive(atMost));
    }

    /**
     * Runs the work until it returns, and returns what it returned.
     *
     * @throws X whatever the work throws that is not a conflict, with the conflicts before it as suppressed
     * @throws TxException.Conflict if attempts or time are spent; its cause is the last failure
     */
    public <R extends @Nullable Object, X extends Exception> R call(Body<R, X> work) throws X {
        Nesting outer = Nesting.enterRetry();
        try {
            return loop(work, limit(null));
        } finally {
            Nesting.leave(outer);
        }
    }

    /** As {@link #call}, for work that returns nothing. */
    public <X extends Exception> void run(Work<X> work) throws X {
        Boolean unused = call(() -> {
            work.run();
            return true;
        });
    }

    /** The loop itself, for a caller that has checked the nesting; {@code limit} is how long it may go on. */
    <R extends @Nullable Object, X extends Exception> R loop(Body<R, X> work, long limit) throws X {
        long start = System.nanoTime();
        List<Exception> earlier = new ArrayList<>(0);
        for (int attempt = 1; ; attempt++) {
            try {
                return work.run();
            } catch (Exception e) {
                SQLException conflict = SqlStates.conflict(e);
                boolean again = attempt < attempts
                        && (SqlStates.stalePlan(e) != null
                                || (conflict != null && slept(attempt, limit - (System.nanoTime() - start))));
                if (!again) {
                    Exception last = conflict == null || e instanceof TxException
                            ? e
                            : new TxException.Conflict(SqlStates.of(conflict), e);
                    attach(last, e, attempt, earlier);
                    if (last instanceof TxException spent) {
                        throw spent;
                    }
                    throw e;
                }
                earlier.add(e);
            }
        }
    }

    /** How long the loop may go on, in ns: by itself, and for the whole of a {@link Tx}. */
    long limit(@Nullable Duration whole) {
        return Math.min(nanos(limit), nanos(whole));
    }

    private static long nanos(@Nullable Duration duration) {
        return duration == null ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.convert(duration);
    }

    @SuppressWarnings("ReferenceEquality") // work may throw one and the same exception again and again
    private static void attach(Exception last, Exception cause, int attempts, List<Exception> earlier) {
        if (last instanceof TxException counted) {
            counted.attempts(attempts);
        }
        for (Exception failure : earlier) {
            if (failure != last && failure != cause) {
                last.addSuppressed(failure);
            }
        }
    }

    /** Waits before the next attempt; false if there is no time left for one, or the thread is interrupted. */
    @SuppressWarnings("ThreadSleep") // backing off is sleeping; nothing is there to be woken by
    private static boolean slept(int attempt, long left) {
        long most = FIRST_WAIT << Math.min(attempt - 1, DOUBLINGS);
        long wait = ThreadLocalRandom.current().nextLong(most / 2, most + 1);
        if (wait >= left) {
            return false;
        }
        try {
            TimeUnit.NANOSECONDS.sleep(wait);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    static Duration positive(Duration duration) {
        if (duration.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("the limit must be at least 1 ms, but was " + duration);
        }
        return duration;
    }

    /** Work that returns something; its own checked exceptions come out typed. */
    @FunctionalInterface
    public interface Body<R extends @Nullable Object, X extends Exception> {
        /** Runs the work once, from the beginning to the end of its transaction. */
        R run() throws X;
    }

    /** Work that returns nothing. */
    @FunctionalInterface
    public interface Work<X extends Exception> {
        /** Runs the work once, from the beginning to the end of its transaction. */
        void run() throws X;
    }
}
