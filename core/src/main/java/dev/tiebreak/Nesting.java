package dev.tiebreak;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Knows what runs on the current thread, so that a runner inside another is refused and not silently joined. */
enum Nesting {
    /** Inside {@link Retry#call}, outside of any {@link Tx}. */
    RETRY,
    /** Inside the body of a {@link Tx}. */
    BODY;

    private static final ThreadLocal<@Nullable Nesting> CURRENT = new ThreadLocal<>();

    /** Enters a body and returns what to hand to {@link #leave}. */
    static @Nullable Nesting enterBody(DataSource source, boolean retrying) {
        Nesting outer = CURRENT.get();
        if (outer == BODY) {
            throw new TxException.Misuse(
                    "a Tx inside the body of another Tx needs a second connection while it holds the"
                            + " first, and commits on its own: use the connection that the outer body was given, or call this"
                            + " one after the outer one has returned");
        }
        if (outer == RETRY && retrying) {
            throw new TxException.Misuse(
                    "a retrying Tx inside Retry.call would multiply the attempts: take .retrying(…)"
                            + " off this Tx, or remove the outer Retry");
        }
        if (Spring.holds(source)) {
            throw new TxException.Misuse(
                    "a Tx inside a Spring transaction on the same DataSource needs a second connection"
                            + " while it holds the first, and commits on its own: hand the race"
                            + " DataSourceUtils.getConnection(dataSource), or call the Tx outside of @Transactional");
        }
        CURRENT.set(BODY);
        return outer;
    }

    /** Whether this thread is inside a body. */
    static boolean inBody() {
        return CURRENT.get() == BODY;
    }

    /** Enters a retry and returns what to hand to {@link #leave}. */
    static @Nullable Nesting enterRetry() {
        Nesting outer = CURRENT.get();
        if (outer == BODY) {
            throw new TxException.Misuse(
                    "a Retry inside the body of a Tx cannot run again what the transaction did before"
                            + " it: give the Retry to the Tx, as in tx.retrying(Retry.adaptive())");
        }
        if (outer == RETRY) {
            throw new TxException.Misuse(
                    "a Retry inside another Retry would multiply the attempts: keep the outermost" + " one");
        }
        if (Spring.holdsAny()) {
            throw new TxException.Misuse("a Retry inside a Spring transaction cannot run again what the transaction did"
                    + " before it: put it around the call of the @Transactional method");
        }
        CURRENT.set(RETRY);
        return null;
    }

    static void leave(@Nullable Nesting outer) {
        if (outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(outer);
        }
    }
}
