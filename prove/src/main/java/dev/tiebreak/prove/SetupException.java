package dev.tiebreak.prove;

/** A race that cannot be run: no server, missing rights, a session that is not deterministic. One line says what to do. */
public final class SetupException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A fault, with the error that showed it. */
    public SetupException(String message, Throwable cause) {
        super(message, cause);
    }
}
