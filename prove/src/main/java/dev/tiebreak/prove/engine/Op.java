package dev.tiebreak.prove.engine;

/**
 * One thing that a session asks of the server: what waits at the gate for its turn.
 *
 * @param name of the step in a spec file; empty for ordinary code
 * @param sql what is sent, for people and for {@link Access}
 * @param position of the step in its session, or -1 for what is no step: the engine's own ROLLBACK, a repeated setup
 * @param following what the session will run in the same turn after this one, if this one is local; null if not known
 */
public record Op(
        String name,
        String sql,
        int position,
        @org.jspecify.annotations.Nullable String following) {
    /** A statement of ordinary code. */
    public static Op statement(String sql, int position) {
        return new Op("", sql, position, null);
    }
}
