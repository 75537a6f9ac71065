package dev.tiebreak.prove;

import java.time.Duration;
import java.util.List;

/**
 * What a verdict rests on: how much was run, and what bounds it.
 *
 * @param sessions their names
 * @param steps of all sessions together, as written (or, of ordinary code, as seen in one run after the other)
 * @param interleavings how many runs were judged
 * @param violations how many of them were bad
 * @param preemptions the most switches away from a session that could have gone on
 * @param complete whether every feasible interleaving was run, or one that only swaps steps which do not touch each other
 * @param isolation the levels in use, such as {@code READ COMMITTED}
 * @param server its version, such as {@code 18.4}
 * @param retries how often a failed transaction is run again
 * @param masked the answers and columns that are not compared, because ids and times differ in every run
 * @param notes sentences on what limits the verdict
 * @param took from the first connection to the verdict
 * @param waits how many steps waited for a lock, over all runs
 * @param retried how many transactions were run again, over all runs
 */
public record Coverage(
        List<String> sessions,
        int steps,
        long interleavings,
        long violations,
        int preemptions,
        boolean complete,
        String isolation,
        String server,
        int retries,
        List<String> masked,
        List<String> notes,
        Duration took,
        long waits,
        long retried) {
    /** Takes copies of the lists. */
    public Coverage {
        sessions = List.copyOf(sessions);
        masked = List.copyOf(masked);
        notes = List.copyOf(notes);
    }

    /** The bounds in one line. */
    public String bounds() {
        return sessions.size() + " sessions, " + steps + " steps, " + isolation
                + (retries > 0 ? ", up to " + retries + " retries" : "") + ", PostgreSQL " + server
                + "; races inside one statement are not covered";
    }
}
