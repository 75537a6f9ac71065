package dev.tiebreak.stock;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What waits for one writer: many callers add, one writer takes everything at once.
 *
 * <p>A stack of linked requests: adding is one compare-and-set, taking all is one swap, and each request knows how many wait
 * below it, so the bound needs no counter of its own (Treiber, <i>Coping with Parallelism</i>, 1986).
 */
final class Waiters {
    private final int limit;
    private final AtomicReference<@Nullable Request> top = new AtomicReference<>();
    private volatile @Nullable Thread writer;

    Waiters(int limit) {
        this.limit = limit;
    }

    void servedBy(Thread thread) {
        writer = thread;
    }

    /** False if as many as allowed wait already. */
    boolean add(Request request) {
        while (true) {
            Request below = top.get();
            int depth = below == null ? 1 : below.depth + 1;
            if (depth > limit) {
                return false;
            }
            request.next = below;
            request.depth = depth;
            if (top.compareAndSet(below, request)) {
                if (below == null) {
                    LockSupport.unpark(writer);
                }
                return true;
            }
        }
    }

    boolean isEmpty() {
        return top.get() == null;
    }

    /** How many wait; at once out of date. */
    int size() {
        Request newest = top.get();
        return newest == null ? 0 : newest.depth;
    }

    /** Everything that waits, first come first, linked by {@code next}; null if nothing does. */
    @Nullable
    Request takeAll() {
        Request newest = top.getAndSet(null);
        Request oldest = null;
        while (newest != null) {
            Request below = newest.next;
            newest.next = oldest;
            oldest = newest;
            newest = below;
        }
        return oldest;
    }
}
