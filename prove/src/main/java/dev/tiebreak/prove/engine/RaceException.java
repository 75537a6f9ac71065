package dev.tiebreak.prove.engine;

/** A race that cannot be run: what the user has to change, in one line. */
public final class RaceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String session;
    private final String step;

    /** A fault of the race as a whole. */
    public RaceException(String message) {
        this("", "", message, null);
    }

    /** A fault of one step of one session; either may be empty. */
    public RaceException(
            String session, String step, String message, @org.jspecify.annotations.Nullable Throwable cause) {
        super(message, cause);
        this.session = session;
        this.step = step;
    }

    /** The session at fault, or an empty string. */
    public String session() {
        return session;
    }

    /** The step at fault, or an empty string. */
    public String step() {
        return step;
    }
}
