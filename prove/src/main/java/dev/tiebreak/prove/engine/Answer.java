package dev.tiebreak.prove.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the server said to one statement. */
public sealed interface Answer {
    /**
     * Rows of text; null is SQL's null.
     *
     * @param ordered whether the statement fixes their order; if not, they are compared as a multiset
     */
    record Rows(List<String> columns, List<List<@Nullable String>> rows, boolean ordered) implements Answer {
        /** The order of rows that has no meaning: by their text. */
        static final Comparator<List<@Nullable String>> BY_TEXT = Comparator.comparing(Object::toString);

        /** The rows, sorted if their order has no meaning. */
        List<List<@Nullable String>> canonical() {
            if (ordered || rows.size() < 2) {
                return rows;
            }
            List<List<@Nullable String>> sorted = new ArrayList<>(rows);
            sorted.sort(BY_TEXT);
            return sorted;
        }
    }

    /** A number of changed rows. */
    record Count(long rows) implements Answer {}

    /** A command without rows. */
    record Done() implements Answer {}

    /** What the code of a session returned, as text. */
    record Returned(String text) implements Answer {}

    /** An error. */
    record Failed(String sqlState, String message) implements Answer {}
}
