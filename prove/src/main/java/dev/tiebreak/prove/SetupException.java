package dev.tiebreak.prove;

/**
 * The proof could not begin or go on: a wrong file, no server, a missing right. No verdict; exit code 3.
 *
 * <p>The message is one line for people: what was wrong, where, and what to do.
 */
public class SetupException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A fault without an underlying error. */
    public SetupException(String message) {
        super(message);
    }

    /** A fault and the error that showed it. */
    public SetupException(String message, Throwable cause) {
        super(message, cause);
    }
}
