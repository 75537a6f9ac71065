package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.spec.Directive.Event;
import dev.tiebreak.prove.spec.Directive.SerialEquivalent.Mode;
import dev.tiebreak.prove.spec.Position;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What makes a run good.
 *
 * @param mode which sessions have to fit an order of transactions
 * @param invariants what must be true
 * @param sometimes what must occur in one run at least
 * @param ignored names of the steps whose answers are not compared
 * @param allowances which errors may reach a session
 */
record Rules(
        Mode mode,
        List<Invariant> invariants,
        List<Sometimes> sometimes,
        Set<String> ignored,
        List<Allowance> allowances) {
    /**
     * A query that answers true.
     *
     * @param always after every step, not only at the end
     * @param place where it was written, for error messages; null in ordinary code
     */
    record Invariant(
            String name,
            boolean always,
            String sql,
            @Nullable Position place) {}

    /**
     * A thing that must occur; either a query or an event.
     *
     * @param sql the query, or an empty string
     * @param event the event; FAILED, RETRIED or WAITED; not looked at if there is a query
     * @param sessions to whom; empty means anybody
     */
    record Sometimes(
            String name,
            String sql,
            Event event,
            Set<String> sessions,
            @Nullable Position place) {}

    /**
     * Errors that may reach a session.
     *
     * @param states SQLSTATEs
     * @param retries how often the transaction is run again
     * @param sessions whose; empty means everybody's
     */
    record Allowance(Set<String> states, int retries, Set<String> sessions) {}

    /** How often the session retries this error: 0 if it ends with it, -1 if the error is not allowed. */
    int retries(String session, String sqlState) {
        int retries = -1;
        for (Allowance allowance : allowances) {
            boolean concerns =
                    allowance.sessions().isEmpty() || allowance.sessions().contains(session);
            if (concerns && allowance.states().contains(sqlState)) {
                retries = Math.max(retries, allowance.retries());
            }
        }
        return retries;
    }

    int maxRetries() {
        return allowances.stream().mapToInt(Allowance::retries).max().orElse(0);
    }
}
