package dev.tiebreak;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds the SQLSTATE that decides, however deep frameworks have wrapped it. */
final class SqlStates {
    private static final String ECHO = "25P02";

    private SqlStates() {}

    /** The state of the exception itself; empty if it has none. */
    static String of(SQLException e) {
        String state = e.getSQLState();
        return state == null ? "" : state;
    }

    /**
     * A serialization failure or a deadlock, anywhere below; null if there is none, or if the outcome is unknown and the
     * work must not be run again.
     */
    static @Nullable SQLException conflict(Throwable failure) {
        if (search(failure, t -> t instanceof TxException.OutcomeUnknown) != null) {
            return null;
        }
        return find(failure, e -> {
            String state = of(e);
            return state.equals("40001") || state.equals("40P01");
        });
    }

    /**
     * "cached plan must not change result type", anywhere below; null if there is none. The driver throws its stale
     * statements away when it sees the error, so the same work succeeds when it is run again.
     */
    static @Nullable SQLException stalePlan(Throwable failure) {
        return find(failure, e -> of(e).equals("0A000") && Driver.isStalePlan(e));
    }

    /** The error that came first: what an echo (25P02, "current transaction is aborted") repeats, else the error itself. */
    static SQLException original(SQLException failure) {
        if (!of(failure).equals(ECHO)) {
            return failure;
        }
        SQLException first = find(failure, e -> !of(e).equals(ECHO) && !of(e).isEmpty());
        return first == null ? failure : first;
    }

    /** Whether the server or the network ended the session: by the error, or by what the driver chained to it. */
    static boolean connectionLost(SQLException failure) {
        return find(failure, e -> of(e).startsWith("08") || of(e).startsWith("57P")) != null;
    }

    private static @Nullable SQLException find(Throwable failure, Predicate<SQLException> wanted) {
        return (SQLException) search(failure, t -> t instanceof SQLException e && wanted.test(e));
    }

    /**
     * The first match along causes and chained exceptions, which may run in circles. Suppressed ones count only behind an
     * echo, whose real reason may be there; elsewhere they are by-products, such as a failed close.
     */
    private static @Nullable Throwable search(Throwable failure, Predicate<Throwable> wanted) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> open = new ArrayDeque<>();
        open.add(failure);
        for (Throwable t = open.poll(); t != null; t = open.poll()) {
            if (!seen.add(t)) {
                continue;
            }
            if (wanted.test(t)) {
                return t;
            }
            if (t instanceof SQLException e) {
                if (e.getNextException() != null) {
                    open.add(e.getNextException());
                }
                if (of(e).equals(ECHO)) {
                    Collections.addAll(open, e.getSuppressed());
                }
            }
            if (t.getCause() != null) {
                open.add(t.getCause());
            }
        }
        return null;
    }
}
