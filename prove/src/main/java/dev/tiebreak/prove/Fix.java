package dev.tiebreak.prove;

import java.util.List;

/**
 * A known cure, put into the SQL, and what the prover says about the race then.
 *
 * @param name such as {@code FOR NO KEY UPDATE on the reads}
 * @param verdict {@code PROVED}, {@code VIOLATED} or {@code UNDECIDED}
 * @param interleavings how many runs were judged
 * @param waits how many steps waited for a lock, over all runs
 * @param retries how many transactions were run again, over all runs
 * @param changes the SQL that differs
 */
public record Fix(String name, String verdict, long interleavings, long waits, long retries, List<Change> changes) {
    /** Takes a copy of the changes. */
    public Fix {
        changes = List.copyOf(changes);
    }

    /** Whether the race is proved with this cure. */
    public boolean proved() {
        return verdict.equals("PROVED");
    }

    /**
     * A step whose SQL differs.
     *
     * @param session whose step it is
     * @param step its name
     * @param before the SQL as written
     * @param after the SQL with the cure
     */
    public record Change(String session, String step, String before, String after) {}
}
