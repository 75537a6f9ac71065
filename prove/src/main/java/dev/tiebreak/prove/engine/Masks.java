package dev.tiebreak.prove.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The values that are different in two runs of the same order only because ids were handed out and time went by. They are
 * not compared.
 */
final class Masks {
    private final Set<String> masked = new TreeSet<>();

    /** Notes every difference between two runs of the same order; true if there was a new one. */
    boolean learn(Run one, Run two, List<String> sessions) {
        int before = masked.size();
        for (int i = 0; i < sessions.size(); i++) {
            List<Act> first = compared(one, i);
            List<Act> second = compared(two, i);
            for (int k = 0; k < Math.min(first.size(), second.size()); k++) {
                Act a = first.get(k);
                Act b = second.get(k);
                for (int n = 0; n < Math.min(a.answers.size(), b.answers.size()); n++) {
                    answer(place(sessions.get(i), a.op, n), a.answers.get(n), b.answers.get(n));
                }
            }
            if (!one.returned.get(i).equals(two.returned.get(i))) {
                masked.add(returned(sessions.get(i)));
            }
        }
        for (Map.Entry<String, Answer.Rows> table : one.state.tables().entrySet()) {
            Answer.Rows other = two.state.tables().get(table.getKey());
            if (other != null) {
                rows(table.getKey(), table.getValue(), other);
            }
        }
        return masked.size() > before;
    }

    private void answer(String place, Answer a, Answer b) {
        if (a instanceof Answer.Rows rows && b instanceof Answer.Rows others) {
            rows(place, rows, others);
        } else if (a instanceof Answer.Count && !a.equals(b)) {
            masked.add(place);
        }
    }

    private void rows(String place, Answer.Rows a, Answer.Rows b) {
        if (a.rows().size() != b.rows().size()) {
            masked.add(place);
            return;
        }
        for (int column = 0; column < a.columns().size(); column++) {
            if (!values(a, column).equals(values(b, column))) {
                masked.add(place + "." + a.columns().get(column));
            }
        }
    }

    private static List<String> values(Answer.Rows rows, int column) {
        List<String> values = new ArrayList<>(
                rows.rows().stream().map(row -> String.valueOf(row.get(column))).toList());
        if (!rows.ordered()) {
            values.sort(null);
        }
        return values;
    }

    /** The rows without what is masked, in an order that means nothing unless the statement fixed it. */
    Object visible(String place, Answer.Rows rows) {
        if (masked.contains(place)) {
            return "…";
        }
        List<Integer> hidden = new ArrayList<>();
        for (int i = 0; i < rows.columns().size(); i++) {
            if (masked.contains(place + "." + rows.columns().get(i))) {
                hidden.add(i);
            }
        }
        if (hidden.isEmpty()) {
            return rows.canonical();
        }
        List<List<@Nullable String>> seen = new ArrayList<>();
        for (List<@Nullable String> row : rows.rows()) {
            List<@Nullable String> copy = new ArrayList<>(row);
            hidden.forEach(i -> copy.set(i, "…"));
            seen.add(copy);
        }
        return new Answer.Rows(rows.columns(), seen, rows.ordered()).canonical();
    }

    Object visible(String place, Answer answer) {
        if (answer instanceof Answer.Rows rows) {
            return visible(place, rows);
        }
        if (answer instanceof Answer.Failed failed) {
            return failed.sqlState();
        }
        return masked.contains(place) ? "…" : answer;
    }

    Object visibleReturn(String session, String text) {
        return masked.contains(returned(session)) ? "…" : text;
    }

    /** The acts of a session whose answers count: steps of committed transactions. */
    static List<Act> compared(Run run, int session) {
        return run.acts.get(session).stream()
                .filter(act -> act.committed && act.op.position() >= 0)
                .toList();
    }

    static String place(String session, Op op, int answer) {
        String step = op.name().isEmpty() ? session + "[" + (op.position() + 1) + "]" : op.name();
        return answer == 0 ? step : step + "#" + (answer + 1);
    }

    private static String returned(String session) {
        return session + " returns";
    }

    /** For people: what is not compared. */
    List<String> names() {
        return List.copyOf(masked);
    }

    @Override
    public String toString() {
        return Objects.toString(masked);
    }
}
