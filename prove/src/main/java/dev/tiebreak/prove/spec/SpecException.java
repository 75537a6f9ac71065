package dev.tiebreak.prove.spec;

import dev.tiebreak.prove.SetupException;

/** A spec file that cannot be used: the message begins with file and line, and says what to do. */
public final class SpecException extends SetupException {
    private static final long serialVersionUID = 1L;

    private final transient Position at;

    /** A fault at a place. */
    public SpecException(Position at, String what) {
        super(at + ": " + what);
        this.at = at;
    }

    /** A fault at a place, with the error that showed it. */
    public SpecException(Position at, String what, Throwable cause) {
        super(at + ": " + what, cause);
        this.at = at;
    }

    /** Where the fault lies. */
    public Position at() {
        return at;
    }
}
