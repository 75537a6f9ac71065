package dev.tiebreak.stock;

import java.util.Locale;

/**
 * The isolation level a strategy needs, checked inside its own statement: no round trip more, and nothing runs on a wrong
 * one.
 */
enum Level {
    ANY("TRUE", ""),
    STATEMENT_SNAPSHOTS(
            "current_setting('transaction_isolation') IN ('read committed', 'read uncommitted')",
            "needs READ COMMITTED, where each statement sees what was committed before it: the snapshot of this transaction"
                    + " may be older than the lock"),
    SERIALIZABLE(
            "current_setting('transaction_isolation') = 'serializable'",
            "needs SERIALIZABLE, as in Tx.on(dataSource).serializable().retrying(Retry.adaptive())");

    private final String holds;
    private final String need;

    Level(String holds, String need) {
        this.holds = holds;
        this.need = need;
    }

    /** The condition under which a statement may run, as SQL. */
    String holds() {
        return holds;
    }

    /** A last branch of a query that, on a wrong level, answers these columns and then the level. */
    String unless(String columns) {
        return this == ANY
                ? ""
                : "\nUNION ALL\nSELECT " + columns + ", current_setting('transaction_isolation') WHERE NOT (" + holds
                        + ")";
    }

    IllegalStateException refusal(String strategy, String actual) {
        return new IllegalStateException("the " + strategy + " stock " + need + "; this connection is at "
                + actual.toUpperCase(Locale.ROOT) + ", and nothing was run");
    }
}
