package dev.tiebreak.prove.engine;

import org.jspecify.annotations.Nullable;

/**
 * One thing that a session asks of the server: what waits at the gate for its turn.
 *
 * @param name of the step in a spec file; empty for ordinary code
 * @param sql what is sent, for {@link Access} and for telling whether two runs do the same
 * @param position of the step in its session, or -1 for what is no step: the engine's own ROLLBACK, a repeated setup
 * @param following what the session will run in the same turn after this one, if this one is local; null if not known
 * @param shown for people: on one line, with the values of parameters
 */
public record Op(
        String name, String sql, int position, @Nullable String following, String shown) {
    /** A step of a spec file. */
    static Op step(String name, String sql, int position, @Nullable String following) {
        return new Op(name, sql, position, following, oneLine(sql));
    }

    /** A statement of ordinary code. */
    static Op statement(String sql, int position, String shown) {
        return new Op("", sql, position, null, oneLine(shown));
    }

    private static String oneLine(String sql) {
        return sql.strip().replaceFirst("\\s*;$", "").replaceAll("\\s+", " ");
    }
}
