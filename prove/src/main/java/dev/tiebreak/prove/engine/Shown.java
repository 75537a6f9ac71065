package dev.tiebreak.prove.engine;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** SQL with the values of its parameters in place, for people. */
final class Shown {
    private static final int LONGEST = 40;

    private Shown() {}

    static String with(String sql, Map<Integer, @Nullable Object> values) {
        StringBuilder shown = new StringBuilder();
        int from = 0;
        int index = 1;
        for (Words.Word word : Words.of(sql)) {
            if (word.is("?") && !word.identifier() && values.containsKey(index)) {
                shown.append(sql, from, word.start()).append(literal(values.get(index)));
                from = word.end();
                index++;
            }
        }
        return shown.append(sql.substring(from)).toString();
    }

    private static String literal(@Nullable Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean) {
            return String.valueOf(value);
        }
        String text = String.valueOf(value);
        return "'" + (text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text) + "'";
    }
}
