package dev.tiebreak.prove.picture;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

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

    /** Rows on one line: a single value bare, several with their columns' names. */
    static String rows(List<String> columns, List<List<Optional<String>>> rows) {
        if (rows.isEmpty()) {
            return "no row";
        }
        List<String> words = new ArrayList<>();
        for (List<Optional<String>> row : rows.subList(0, Math.min(rows.size(), SHOWN_ROWS))) {
            words.add(row(columns, row));
        }
        if (rows.size() > SHOWN_ROWS) {
            words.add("and " + (rows.size() - SHOWN_ROWS) + " more");
        }
        return String.join("; ", words);
    }

    private static String row(List<String> columns, List<Optional<String>> row) {
        if (row.size() == 1) {
            // Functions of type void, such as pg_advisory_lock, answer with an empty value.
            boolean nothing = row.getFirst().filter(String::isEmpty).isPresent()
                    && columns.getFirst().startsWith("pg_");
            return nothing ? "done" : value(row.getFirst());
        }
        List<String> words = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            words.add(columns.get(i) + " " + value(row.get(i)));
        }
        return String.join(", ", words);
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
