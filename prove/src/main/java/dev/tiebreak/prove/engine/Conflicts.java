package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.engine.Words.Word;
import dev.tiebreak.prove.picture.Edge;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a run says about the order of its transactions, and a circle in it.
 *
 * <p>For explaining only: whether a run is good is decided by comparing it with serial runs. Rows are not told apart, so a
 * circle may be missing or, where transactions touch different rows of a table, say more than was true; it is shown only
 * for runs that were judged bad.
 */
final class Conflicts {
    private final Run run;
    private final Arena arena;

    /** One access: who, what, when it took effect for others or saw what others had done. */
    private record Touch(int actor, boolean writes, String table, Set<String> columns, int at, Act act) {}

    Conflicts(Run run, Arena arena) {
        this.run = run;
        this.arena = arena;
    }

    /** Edges that lead from one session back to it; empty if there are none. */
    List<Edge> circle() {
        List<Touch> touches = new ArrayList<>();
        for (List<Act> acts : run.acts) {
            for (Act act : acts) {
                if (act.committed) {
                    touches(act, touches);
                }
            }
        }
        Map<Integer, Map<Integer, Edge>> edges = new HashMap<>();
        for (Touch a : touches) {
            for (Touch b : touches) {
                Edge edge = a.actor == b.actor || !a.table.equals(b.table) || apart(a, b) ? null : edge(a, b);
                if (edge != null) {
                    edges.computeIfAbsent(a.actor, x -> new HashMap<>()).merge(b.actor, edge, Conflicts::better);
                }
            }
        }
        List<Edge> best = List.of();
        for (int from = 0; from < arena.sessions().size(); from++) {
            List<Edge> circle = circle(from, edges);
            if (!circle.isEmpty() && (best.isEmpty() || circle.size() < best.size())) {
                best = circle;
            }
        }
        return best;
    }

    /** Whether the statements name different values for the same column, and so touch different rows. */
    private static boolean apart(Touch a, Touch b) {
        Map<String, String> one = wanted(a.act.op.shown());
        Map<String, String> two = wanted(b.act.op.shown());
        return one.entrySet().stream()
                .anyMatch(e -> two.containsKey(e.getKey()) && !e.getValue().equals(two.get(e.getKey())));
    }

    /** The columns that a statement's WHERE compares with one constant; none if there is a choice. */
    private static Map<String, String> wanted(String sql) {
        Map<String, String> wanted = new HashMap<>();
        List<Word> words = Words.of(sql);
        if (words.stream().anyMatch(w -> w.is("or") || w.is(";"))) {
            return wanted;
        }
        boolean where = false;
        for (int i = 0; i + 2 < words.size(); i++) {
            where |= words.get(i).is("where");
            boolean constant =
                    !words.get(i + 2).identifier() && words.get(i + 2).text().matches("'.*|[0-9].*");
            if (where && words.get(i).identifier() && words.get(i + 1).is("=") && constant) {
                wanted.put(words.get(i).text(), words.get(i + 2).text());
            }
        }
        return wanted;
    }

    private static Edge better(Edge one, Edge two) {
        return one.label().startsWith("read") || !two.label().startsWith("read") ? one : two;
    }

    private static List<Edge> circle(int start, Map<Integer, Map<Integer, Edge>> edges) {
        ArrayDeque<List<Integer>> open = new ArrayDeque<>(List.of(List.of(start)));
        Set<Integer> visited = new HashSet<>();
        while (!open.isEmpty()) {
            List<Integer> path = open.remove();
            int last = path.get(path.size() - 1);
            for (int next : edges.getOrDefault(last, Map.of()).keySet()) {
                if (next == start) {
                    List<Edge> circle = new ArrayList<>();
                    for (int i = 0; i < path.size(); i++) {
                        int to = i + 1 < path.size() ? path.get(i + 1) : start;
                        circle.add(Objects.requireNonNull(
                                edges.getOrDefault(path.get(i), Map.of()).get(to)));
                    }
                    return circle;
                }
                if (visited.add(next)) {
                    List<Integer> longer = new ArrayList<>(path);
                    longer.add(next);
                    open.add(longer);
                }
            }
        }
        return List.of();
    }

    /** What makes the transaction of a come before that of b. */
    private @Nullable Edge edge(Touch a, Touch b) {
        String x = arena.sessions().get(a.actor);
        String y = arena.sessions().get(b.actor);
        String what = what(a, b);
        if (!a.writes && b.writes && a.at < committedAt(b)) {
            return new Edge(
                    x,
                    y,
                    "read " + what + " before the write",
                    x + " read " + what + " as it was before " + y + " changed it");
        }
        if (a.writes && !b.writes && committedAt(a) < b.at) {
            return new Edge(
                    x, y, "read " + what + " after the write", y + " read " + what + " after " + x + " had changed it");
        }
        if (a.writes && b.writes && a.act.endTurn < b.act.endTurn) {
            return new Edge(x, y, "wrote " + what + " first", x + " wrote " + what + " before " + y + " did");
        }
        return null;
    }

    private static String what(Touch a, Touch b) {
        Touch writer = a.writes ? a : b;
        Touch other = a.writes ? b : a;
        return writer.columns.stream()
                .filter(other.columns::contains)
                .sorted()
                .findFirst()
                .orElse(writer.table);
    }

    private int committedAt(Touch touch) {
        return run.acts.get(touch.actor).stream()
                .filter(a -> a.transaction == touch.act.transaction && a.commits)
                .mapToInt(a -> a.endTurn)
                .findFirst()
                .orElse(Integer.MAX_VALUE);
    }

    /** When the snapshot of a read was taken. */
    private int seenAt(Act act) {
        if (act.level == Level.READ_COMMITTED) {
            return act.waited() ? act.endTurn : act.turn;
        }
        return run.acts.get(act.actor).stream()
                .filter(a -> a.transaction == act.transaction && !Access.isLocal(a.op.sql()))
                .mapToInt(a -> a.turn)
                .min()
                .orElse(act.turn);
    }

    private void touches(Act act, List<Touch> into) {
        for (List<Word> words : Words.statements(act.op.sql())) {
            String verb = words.get(0).text();
            List<String> tables = words.stream()
                    .filter(w -> w.identifier() && arena.catalog().isTable(w.text()))
                    .map(Word::text)
                    .distinct()
                    .toList();
            boolean writes = words.stream()
                    .anyMatch(w ->
                            w.is("insert") || w.is("delete") || w.is("merge") || (w.is("update") && !isLock(words, w)));
            Set<String> columns = writes && verb.equals("update") ? assigned(words) : names(words);
            for (int i = 0; i < tables.size(); i++) {
                if (writes && i == 0) {
                    if (changed(act)) {
                        into.add(new Touch(act.actor, true, tables.get(0), columns, act.endTurn, act));
                    }
                    if (!verb.equals("insert")) {
                        into.add(new Touch(act.actor, false, tables.get(0), names(words), seenAt(act), act));
                    }
                } else {
                    into.add(new Touch(act.actor, false, tables.get(i), names(words), seenAt(act), act));
                }
            }
        }
    }

    private static boolean changed(Act act) {
        return act.answers.stream().noneMatch(a -> a instanceof Answer.Count count && count.rows() == 0);
    }

    private static boolean isLock(List<Word> words, Word update) {
        int i = words.indexOf(update);
        return i > 0 && (words.get(i - 1).is("for") || words.get(i - 1).is("key"));
    }

    private static Set<String> names(List<Word> words) {
        Set<String> names = new HashSet<>();
        words.stream().filter(Word::identifier).forEach(w -> names.add(w.text()));
        return names;
    }

    private static Set<String> assigned(List<Word> words) {
        Set<String> columns = new HashSet<>();
        for (int i = 0; i + 1 < words.size() && !words.get(i).is("where"); i++) {
            if (words.get(i).identifier() && words.get(i + 1).is("=")) {
                columns.add(words.get(i).text());
            }
        }
        return columns;
    }

    /** The locks that an act leaves its session with, in words. An UPDATE that waited holds the row even if it matched none. */
    static Stream<String> locks(Act act, Catalog catalog) {
        List<String> locks = new ArrayList<>();
        for (List<Word> words : Words.statements(act.op.sql())) {
            if (words.stream().anyMatch(w -> w.text().contains("advisory"))) {
                locks.add("advisory lock");
                continue;
            }
            boolean locksRows =
                    words.stream().anyMatch(w -> w.is("update") || w.is("delete") || w.is("share") || w.is("merge"));
            boolean inserts = words.stream().anyMatch(w -> w.is("insert"));
            if ((!locksRows && !inserts) || (!act.waited() && !changed(act)) || empty(act)) {
                continue;
            }
            words.stream()
                    .filter(w -> w.identifier() && catalog.isTable(w.text()))
                    .findFirst()
                    .ifPresent(w -> locks.add((inserts ? "new row of " : "row of ") + w.text()));
        }
        return locks.stream();
    }

    private static boolean empty(Act act) {
        return !act.waited()
                && !act.answers.isEmpty()
                && act.answers.stream()
                        .allMatch(a ->
                                a instanceof Answer.Rows rows && rows.rows().isEmpty());
    }
}
