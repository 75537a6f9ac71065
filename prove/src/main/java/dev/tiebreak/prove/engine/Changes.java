package dev.tiebreak.prove.engine;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Differences between the rows at two moments, in words. */
final class Changes {
    private static final int MOST = 4;

    private Changes() {}

    /** Such as {@code stock(7).qty 1 → 0} or {@code orders + (1, ana)}. */
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
        boolean single = old.rows().size() == 1 && now.rows().size() == 1;
        Iterator<List<@Nullable String>> olds = gone.iterator();
        while (olds.hasNext()) {
            List<@Nullable String> was = olds.next();
            List<@Nullable String> is = successor(was, gone, come, single);
            if (is != null) {
                changed(single ? name : name + "(" + was.get(0) + ")", now.columns(), was, is, words);
                olds.remove();
                come.remove(is);
            }
        }
        for (List<@Nullable String> row : gone) {
            words.add(name + " − (" + values(row) + ")");
        }
        for (List<@Nullable String> row : come) {
            words.add(name + " + (" + values(row) + ")");
        }
    }

    /** The row that took the place of another: the only one, or the only one with the same first column. */
    private static @Nullable List<@Nullable String> successor(
            List<@Nullable String> was,
            List<List<@Nullable String>> gone,
            List<List<@Nullable String>> come,
            boolean single) {
        if (was.isEmpty()) {
            return null;
        }
        List<List<@Nullable String>> same = new ArrayList<>();
        for (List<@Nullable String> row : come) {
            if (single || Objects.equals(row.get(0), was.get(0))) {
                same.add(row);
            }
        }
        long rivals = gone.stream()
                .filter(row -> Objects.equals(row.get(0), was.get(0)))
                .count();
        return same.size() == 1 && rivals == 1 ? same.get(0) : null;
    }

    private static void changed(
            String name,
            List<String> columns,
            List<@Nullable String> was,
            List<@Nullable String> is,
            List<String> words) {
        for (int i = 0; i < columns.size(); i++) {
            if (!Objects.equals(was.get(i), is.get(i))) {
                words.add(name + "." + columns.get(i) + " " + was.get(i) + " → " + is.get(i));
            }
        }
    }

    private static String values(List<@Nullable String> row) {
        return String.join(", ", row.stream().map(String::valueOf).toList());
    }
}
