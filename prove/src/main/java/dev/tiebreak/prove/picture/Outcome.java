package dev.tiebreak.prove.picture;

import java.util.List;
import java.util.Optional;

/** What a statement answered. */
public sealed interface Outcome {
    /**
     * Rows.
     *
     * @param columns their names
     * @param rows one list of values a row; absence is SQL NULL
     */
    record Rows(List<String> columns, List<List<Optional<String>>> rows) implements Outcome {
        /** Takes copies of the lists. */
        public Rows {
            columns = List.copyOf(columns);
            rows = rows.stream().map(List::copyOf).toList();
        }
    }

    /**
     * The number of rows that a statement changed.
     *
     * @param rows 0 or more
     */
    record Count(long rows) implements Outcome {}

    /** It ended and has nothing to say, as BEGIN and COMMIT do. */
    record Done() implements Outcome {}

    /**
     * An error.
     *
     * @param sqlState five characters
     * @param message the primary message, without severity
     */
    record Failed(String sqlState, String message) implements Outcome {}

    /**
     * What a session of Java code returned.
     *
     * @param value as {@link String#valueOf(Object)} shows it
     */
    record Returned(String value) implements Outcome {}
}
