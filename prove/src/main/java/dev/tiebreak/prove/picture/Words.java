package dev.tiebreak.prove.picture;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Answers and rows in words: the same in text and in HTML. */
final class Words {
    private static final int SHOWN_ROWS = 4;

    private Words() {}

    /** What a step answered, on one line; empty if it has nothing to say. */
    static String answer(List<Outcome> outcomes) {
        return outcomes.stream()
                .map(Words::answer)
                .filter(words -> !words.isEmpty())
                .collect(Collectors.joining(", "));
    }

    private static String answer(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Rows rows -> "→ " + rows(rows.columns(), rows.rows());
            case Outcome.Count count -> count(count.rows());
            case Outcome.Done done -> "";
            case Outcome.Failed failed -> "ERROR " + failed.sqlState() + ": " + failed.message();
            case Outcome.Returned returned -> "→ " + returned.value();
        };
    }

    /** An answer on one line: a single value bare, several with their columns' names. */
    static String rows(List<String> columns, List<List<Optional<String>>> rows) {
        if (columns.size() != 1) {
            return named(columns, rows);
        }
        // Functions of type void, such as pg_advisory_lock, answer with an empty value.
        boolean isFunction = columns.getFirst().startsWith("pg_");
        return some(
                rows,
                row -> isFunction && row.getFirst().filter(String::isEmpty).isPresent()
                        ? "done"
                        : value(row.getFirst()));
    }

    /** Rows on one line, each value with its column's name. */
    static String named(List<String> columns, List<List<Optional<String>>> rows) {
        return some(rows, row -> IntStream.range(0, row.size())
                .mapToObj(i -> columns.get(i) + " " + value(row.get(i)))
                .collect(Collectors.joining(", ")));
    }

    private static String some(List<List<Optional<String>>> rows, Function<List<Optional<String>>, String> words) {
        if (rows.isEmpty()) {
            return "no row";
        }
        String shown = rows.stream().limit(SHOWN_ROWS).map(words).collect(Collectors.joining("; "));
        return rows.size() > SHOWN_ROWS ? shown + "; and " + (rows.size() - SHOWN_ROWS) + " more" : shown;
    }

    /** One value; an empty text is shown as {@code ''}. */
    static String value(Optional<String> value) {
        return value.map(v -> v.isEmpty() ? "''" : v).orElse("NULL");
    }

    static String count(long rows) {
        return rows == 1 ? "1 row" : rows + " rows";
    }

    /** What a waiting step waits for. */
    static String waits(Event event) {
        return event.blockedBy().isEmpty() ? "waits" : "waits for " + String.join(" and ", event.blockedBy());
    }

    /** The locks that a session holds after an event and did not hold after its last one. */
    static List<String> gained(List<Event> events, int index) {
        Event event = events.get(index);
        for (int i = index - 1; i >= 0; i--) {
            if (events.get(i).session().equals(event.session())) {
                List<String> before = events.get(i).holds();
                return event.holds().stream().filter(h -> !before.contains(h)).toList();
            }
        }
        return event.holds();
    }

    static boolean failed(Event event) {
        return event.outcomes().stream().anyMatch(Outcome.Failed.class::isInstance);
    }
}
