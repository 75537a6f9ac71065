package dev.tiebreak.prove.suite;

/** A spec whose run could not be finished; the stock tester exits here. */
public final class TesterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A run that cannot go on. */
    public TesterException(String message) {
        super(message);
    }

    /** A run that cannot go on, and the error that showed it. */
    public TesterException(String message, Throwable cause) {
        super(message, cause);
    }
}
