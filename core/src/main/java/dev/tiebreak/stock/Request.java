package dev.tiebreak.stock;

import dev.tiebreak.Key;
import dev.tiebreak.TxException;
import dev.tiebreak.stock.BatchingWriter.Answer;
import dev.tiebreak.stock.Stock.Take;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One caller's wish, from the queue to its answer. A writer takes it or its caller withdraws it, never both; whoever takes it
 * answers once.
 */
final class Request {
    private static final int QUEUED = 0;
    private static final int STARTED = 1;
    private static final int WITHDRAWN = 2;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Request.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Key key;
    final long n;
    final long began = System.nanoTime();
    private final long patience;
    private final @Nullable Thread caller;
    private final @Nullable CompletableFuture<Answer> future;

    /** The one queued before this one, and how many wait up to this one; written before it is published. */
    @Nullable
    Request next;

    int depth;

    @SuppressWarnings("UnusedVariable") // through STATE
    private volatile int state;

    private @Nullable SQLException failure;
    private volatile @Nullable Answer answer;

    private Request(Key key, long n, Duration patience, boolean blocking) {
        this.key = key;
        this.n = n;
        this.patience = patience.toNanos();
        this.caller = blocking ? Thread.currentThread() : null;
        this.future = blocking ? null : new CompletableFuture<>();
    }

    static Request blocking(Key key, long n, Duration patience) {
        return new Request(key, n, patience, true);
    }

    static Request async(Key key, long n, Duration patience) {
        return new Request(key, n, patience, false);
    }

    /** True for the one who may run it. */
    boolean start() {
        return STATE.compareAndSet(this, QUEUED, STARTED);
    }

    /** Whether its deadline has passed. */
    boolean expired(long nanoTime) {
        return nanoTime - began >= patience;
    }

    CompletionStage<Answer> stage() {
        if (future == null) {
            throw new IllegalStateException("a caller blocks for this answer");
        }
        return future;
    }

    boolean isAsync() {
        return future != null;
    }

    /** The answer that was given; null before that, and for one that failed. */
    @Nullable
    Answer outcome() {
        return failure == null ? answer : null;
    }

    Take.Busy busy(int attempts) {
        return new Take.Busy(attempts, Duration.ofNanos(System.nanoTime() - began));
    }

    void answer(Answer known) {
        answer = known;
        LockSupport.unpark(caller);
    }

    /** The database refused this request, and only this one. */
    void fail(SQLException reason) {
        failure = reason;
        answer(new Take.Busy(1, Duration.ZERO));
    }

    /** Tells the future, on a thread that may block. */
    void tellFuture() {
        CompletableFuture<Answer> waiting = future;
        if (waiting == null) {
            return;
        }
        try {
            waiting.complete(known());
        } catch (TxException e) {
            waiting.completeExceptionally(e);
        }
    }

    /**
     * Waits for the answer. At the deadline, or when interrupted, a request that is still in the queue is withdrawn; one that a
     * writer has begun is waited for, since its answer is near and worth more than "perhaps".
     */
    Answer await() {
        boolean interrupted = false;
        while (answer == null) {
            long left = left();
            if ((left <= 0 || interrupted) && STATE.compareAndSet(this, QUEUED, WITHDRAWN)) {
                answer = busy(0);
                break;
            }
            if (left > 0 && !interrupted) {
                LockSupport.parkNanos(this, left);
            } else {
                LockSupport.park(this);
            }
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return known();
    }

    private Answer known() {
        Answer known = answer;
        SQLException reason = failure;
        if (reason != null) {
            throw TxException.of(reason);
        }
        if (known == null) {
            throw new IllegalStateException("asked for the answer before there was one");
        }
        return known;
    }

    private long left() {
        return patience - (System.nanoTime() - began);
    }
}
