package dev.tiebreak.prove.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Differences between the rows at two moments, in words. */
final class Changes {
    private static final int MOST = 4;

    private Changes() {}

    /** Such as {@code stock.qty 1 → 0} or {@code orders + (1, ana)}. */
    static List<String> between(State one, State two) {
        List<String> words = new ArrayList<>();
        for (Map.Entry<String, Answer.Rows> table : two.tables().entrySet()) {
            Answer.Rows old = one.tables().get(table.getKey());
            if (old != null) {
                between(table.getKey(), old, table.getValue(), words);
            }
        }
        return words.size() > MOST ? words.subList(0, MOST) : words;
    }

    private static void between(String name, Answer.Rows old, Answer.Rows now, List<String> words) {
        List<List<@Nullable String>> gone = new ArrayList<>(old.rows());
        List<List<@Nullable String>> come = new ArrayList<>(now.rows());
        for (List<@Nullable String> row : old.rows()) {
            if (come.remove(row)) {
                gone.remove(row);
            }
        }
        if (gone.size() == 1 && come.size() == 1) {
            for (int i = 0; i < now.columns().size(); i++) {
                String was = String.valueOf(gone.get(0).get(i));
                String is = String.valueOf(come.get(0).get(i));
                if (!was.equals(is)) {
                    words.add(name + "." + now.columns().get(i) + " " + was + " → " + is);
                }
            }
            return;
        }
        for (List<@Nullable String> row : gone) {
            words.add(name + " − (" + values(row) + ")");
        }
        for (List<@Nullable String> row : come) {
            words.add(name + " + (" + values(row) + ")");
        }
    }

    private static String values(List<@Nullable String> row) {
        return String.join(", ", row.stream().map(String::valueOf).toList());
    }
}
