package dev.tiebreak.message;

import dev.tiebreak.Binds;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An effect that is one statement of SQL, and the values of its parameters.
 *
 * @param sql a user's own, with {@link #NEW} where the new deliveries are
 */
record Effect(String sql, List<@Nullable Object> values) {
    static final String NEW = "{new}";
    private static final String NOTHING_CHANGED = "tiebreak: no row was changed";

    /** What makes the whole statement fail; the id is in it so that it is not computed before there is one. */
    static final String CHANGED = """
            CASE WHEN EXISTS (SELECT FROM tiebreak_effect) THEN 1
                ELSE CAST('%s for ' || tiebreak_fresh.id AS integer) END""".formatted(NOTHING_CHANGED);

    /** Checks that it is one that can be done for the new deliveries only. */
    Effect {
        String word = sql.strip().split("\\s", 2)[0].toUpperCase(Locale.ROOT);
        if (!Set.of("INSERT", "UPDATE", "DELETE").contains(word)) {
            throw new IllegalArgumentException("an effect in SQL is an INSERT, UPDATE or DELETE, not \"" + word
                    + "\"; do anything else in code, with once(…)");
        }
        if (!sql.contains(NEW)) {
            throw new IllegalArgumentException("an effect in SQL takes its rows from " + NEW
                    + ", which has none for a delivery that was there before; this one would be done every time: "
                    + sql);
        }
    }

    static Effect of(String sql, @Nullable Object... values) {
        return new Effect(sql, Arrays.asList(values.clone()));
    }

    /** The parts of a WITH that do it, after one named {@code tiebreak_fresh}. */
    static String within(String sql, String fresh) {
        return ",\ntiebreak_new AS (" + fresh + "),\ntiebreak_effect AS (\n" + sql.replace(NEW, "tiebreak_new")
                + "\nRETURNING 1)";
    }

    void bind(Binds binds) throws SQLException {
        for (Object value : values) {
            binds.addObject(value);
        }
    }

    /** The same failure, but one that says so if the effect changed nothing. */
    SQLException explained(SQLException e) {
        String message = e.getMessage();
        return "22P02".equals(e.getSQLState()) && message != null && message.contains(NOTHING_CHANGED)
                ? new SQLException("the effect changed no row, so there is no receipt: " + sql, "02000", e)
                : e;
    }
}
