package dev.tiebreak.prove.engine;

/**
 * Why a run is bad.
 *
 * @param kind which judge said so
 * @param what the name of what was broken, for the verdict line
 * @param sentence for people
 */
record Breach(Kind kind, String what, String sentence) {
    /** What bad runs do, for the verdict line. */
    String verb() {
        return switch (kind) {
            case ERROR -> "end in " + what;
            case STUCK -> "leave a session waiting for ever";
            case INVARIANT -> "break \"" + what + "\"";
            case ORDER -> "fit no order of the transactions";
        };
    }

    enum Kind {
        /** An error that is not allowed reached a session. */
        ERROR,
        /** A session waits for ever. */
        STUCK,
        /** An invariant is false. */
        INVARIANT,
        /** No order of the transactions gives these answers and rows. */
        ORDER
    }
}
