package dev.tiebreak;

import java.sql.SQLException;

/**
 * Why a {@link Tx} did not return: one nested type a verdict, so that a {@code switch} over it is complete.
 *
 * <p>Every verdict but {@link OutcomeUnknown} (and {@link Misuse} where its message says so) means that <em>nothing</em> the
 * body wrote is in the database. The cause is always the original error, never an echo of it such as 25P02. The
 * failures of earlier attempts are attached as suppressed exceptions.
 *
 * <table>
 * <caption>Verdicts by SQLSTATE</caption>
 * <tr><th>SQLSTATE</th><th>verdict</th><th>what to do</th></tr>
 * <tr><td>40001, 40P01</td><td>{@link Conflict}</td><td>try again, or say no: 503</td></tr>
 * <tr><td>55P03</td><td>{@link LockNotAvailable}</td><td>somebody holds the row: 503, try later</td></tr>
 * <tr><td>57014</td><td>{@link StatementCancelled}</td><td>the statement itself is too slow: look at its plan</td></tr>
 * <tr><td>25P03, 25P04</td><td>{@link IdleTooLong}</td><td>the body did something slow while holding locks: move it out</td></tr>
 * <tr><td>08xxx, 57Pxx during COMMIT</td><td>{@link OutcomeUnknown}</td><td>perhaps done: ask with the id</td></tr>
 * <tr><td>any, swallowed by the body</td><td>{@link NotCommitted}</td><td>a bug in the body: let the error out</td></tr>
 * <tr><td>any other</td><td>{@link Failed}</td><td>as its cause says</td></tr>
 * <tr><td>none</td><td>{@link Misuse}</td><td>a bug in the calling code: as its message says</td></tr>
 * </table>
 */
public abstract sealed class TxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String message;
    private final String sqlState;
    private int attempts = 1;

    private TxException(String message, String sqlState, Throwable cause) {
        super(message, cause);
        this.message = message;
        this.sqlState = sqlState;
    }

    private TxException(String message) {
        super(message);
        this.message = message;
        this.sqlState = "";
    }

    /** The verdict that an error of the database amounts to, where a transaction of one's own has failed with it. */
    public static TxException of(SQLException failure) {
        return Attempt.verdict(failure);
    }

    /** The five-character code of the original error; empty if there was none. */
    public final String sqlState() {
        return sqlState;
    }

    /** How many times the whole body was run, at least 1. */
    public final int attempts() {
        return attempts;
    }

    /** Known to the loop that counts them; called before anybody else sees the exception. */
    final void attempts(int made) {
        attempts = made;
    }

    @Override
    public String getMessage() {
        return attempts == 1 ? message : message + " (after " + attempts + " attempts)";
    }

    /**
     * Another transaction won every time (40001 serialization failure, 40P01 deadlock): nothing was committed, and
     * trying again may win. With {@link Retry}, its attempts or its time are spent.
     */
    public static final class Conflict extends TxException {
        private static final long serialVersionUID = 1L;

        Conflict(String sqlState, Throwable cause) {
            super("another transaction won, nothing was committed: " + cause.getMessage(), sqlState, cause);
        }
    }

    /** A lock was not free in time ({@code lock_timeout} or {@code NOWAIT}, 55P03): somebody else holds it. */
    public static final class LockNotAvailable extends TxException {
        private static final long serialVersionUID = 1L;

        LockNotAvailable(String sqlState, Throwable cause) {
            super("a lock was not free in time, nothing was committed: " + cause.getMessage(), sqlState, cause);
        }
    }

    /** A statement ran too long or was cancelled ({@code statement_timeout}, {@code setQueryTimeout}, 57014). */
    public static final class StatementCancelled extends TxException {
        private static final long serialVersionUID = 1L;

        StatementCancelled(String sqlState, Throwable cause) {
            super("a statement was cancelled, nothing was committed: " + cause.getMessage(), sqlState, cause);
        }
    }

    /**
     * The body kept its transaction open too long ({@code idle_in_transaction_session_timeout} 25P03, or {@code
     * transaction_timeout} 25P04 from PostgreSQL 17): the server ended the session.
     */
    public static final class IdleTooLong extends TxException {
        private static final long serialVersionUID = 1L;

        IdleTooLong(String sqlState, Throwable cause) {
            super(
                    "the body kept its transaction open too long and the server ended it, nothing was committed;"
                            + " move slow work out of the body: " + cause.getMessage(),
                    sqlState,
                    cause);
        }
    }

    /**
     * The body returned as if all were well, but had swallowed an error after which PostgreSQL can only roll back: its
     * earlier writes are gone. The cause is the error that was swallowed.
     */
    public static final class NotCommitted extends TxException {
        private static final long serialVersionUID = 1L;

        NotCommitted(String sqlState, Throwable cause) {
            super(
                    "not committed: the body swallowed an error, after which the transaction could only roll back; let"
                            + " the error out, or set a savepoint before the statement and roll back to it: "
                            + cause.getMessage(),
                    sqlState,
                    cause);
        }
    }

    /**
     * The connection was lost while COMMIT was under way: the transaction is either committed as a whole or not at all,
     * and nobody can tell from here. Never retried; ask the database, by an id that the body wrote.
     */
    public static final class OutcomeUnknown extends TxException {
        private static final long serialVersionUID = 1L;

        OutcomeUnknown(String sqlState, Throwable cause) {
            super(
                    "perhaps committed, perhaps not: the connection was lost during COMMIT; before doing it again, look"
                            + " for what it wrote: " + cause.getMessage(),
                    sqlState,
                    cause);
        }
    }

    /** Any other failure of the database, the driver or the pool: nothing was committed. */
    public static final class Failed extends TxException {
        private static final long serialVersionUID = 1L;

        Failed(String sqlState, Throwable cause) {
            super("nothing was committed: " + cause.getMessage(), sqlState, cause);
        }
    }

    /**
     * The calling code cannot work as written: runners nested, a connection that already is in a transaction, or a body
     * that ended its own transaction. The message says what to do instead.
     */
    public static final class Misuse extends TxException {
        private static final long serialVersionUID = 1L;

        /** Says what is wrong and what to do instead. */
        public Misuse(String message) {
            super(message);
        }
    }
}
