package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.picture.Edge;
import dev.tiebreak.prove.picture.Event;
import dev.tiebreak.prove.picture.Outcome;
import dev.tiebreak.prove.picture.Reason;
import dev.tiebreak.prove.picture.Table;
import dev.tiebreak.prove.picture.Trace;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tells a run as the picture needs it: what was waited for, held and changed, and why it does not fit. */
final class Storyteller {
    private final Arena arena;
    private final Judge judge;
    private final Rules rules;
    private final Map<Integer, State> after = new LinkedHashMap<>();
    private State before = State.NONE;

    Storyteller(Arena arena, Judge judge, Rules rules) {
        this.arena = arena;
        this.judge = judge;
        this.rules = rules;
    }

    /** Runs a schedule again and looks at the committed rows after every turn; null if it cannot be followed. */
    @Nullable
    Run watch(Lab lab, Run run) throws SQLException {
        return watch(lab, run.schedule());
    }

    @Nullable
    Run watch(Lab lab, int... schedule) throws SQLException {
        after.clear();
        Follow follow = new Follow(schedule);
        Run run = lab.run(
                view -> {
                    State now = state();
                    if (view.turn() == 0) {
                        before = now;
                    } else {
                        after.put(view.turn() - 1, now);
                    }
                    return follow.choose(view);
                },
                Lab.Kind.ORDINARY);
        after.put(run.turns.size() - 1, run.state);
        return run.infeasible ? null : run;
    }

    private State state() {
        try {
            return arena.state();
        } catch (SQLException e) {
            return State.NONE;
        }
    }

    /** The whole story. */
    Trace tell(String race, String counts, Run run, Breach breach, String firstSentence) throws SQLException {
        List<Event> events = events(run);
        List<Edge> circle = new Conflicts(run, arena).circle();
        Run nearest = breach.kind() == Breach.Kind.ORDER && breach.sentence().isEmpty() ? null : judge.nearest(run);
        String sentence = firstSentence + sentence(breach, circle, run, nearest);
        return new Trace(
                race,
                breach.what().isEmpty() ? "GOOD" : "VIOLATED",
                counts,
                run.preemptions(),
                arena.sessions(),
                events,
                tables(run, nearest),
                new Reason(sentence, breach.what().isEmpty() ? List.of() : circle),
                List.of(),
                "");
    }

    private String sentence(Breach breach, List<Edge> circle, Run run, @Nullable Run nearest) {
        String story = circle(circle);
        if (breach.kind() != Breach.Kind.ORDER) {
            boolean order = breach.kind() == Breach.Kind.INVARIANT && !story.isEmpty() && !run.serial();
            return breach.sentence() + (order ? ": " + story : "") + standoff(run);
        }
        if (!story.isEmpty()) {
            return story;
        }
        return nearest == null
                ? breach.sentence()
                : breach.sentence() + "; nearest is " + order(nearest) + difference(run, nearest);
    }

    /** Who waited for whom when the server broke a deadlock; empty if it did not have to. */
    private String standoff(Run run) {
        Map<Integer, Act> waiting = new LinkedHashMap<>();
        for (Run.Line line : run.lines) {
            Act act = line.act();
            Answer.Failed failed = line.waits() ? null : act.failure();
            if (line.waits()) {
                waiting.put(act.actor, act);
            } else if (failed != null && failed.sqlState().equals("40P01")) {
                List<String> waits = new ArrayList<>();
                waiting.forEach((actor, blocked) -> blocked.waitedFor.stream()
                        .forEach(by -> waits.add(arena.sessions().get(actor) + " waits for "
                                + arena.sessions().get(by))));
                return "; " + String.join(" and ", waits) + ", so the server has to end one of them";
            } else {
                waiting.remove(act.actor);
            }
        }
        return "";
    }

    private static String circle(List<Edge> circle) {
        if (circle.isEmpty()) {
            return "";
        }
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < circle.size(); i++) {
            Edge edge = circle.get(i);
            all.append(i == 0 ? "" : i == circle.size() - 1 ? "; but " : "; ")
                    .append(edge.sentence())
                    .append(", so ")
                    .append(edge.from())
                    .append(" < ")
                    .append(edge.to());
        }
        return all + ": no order fits";
    }

    private String difference(Run run, Run nearest) {
        for (int i = 0; i < arena.sessions().size(); i++) {
            List<Act> mine = Masks.compared(run, i);
            List<Act> its = Masks.compared(nearest, i);
            for (int k = 0; k < Math.min(mine.size(), its.size()); k++) {
                Act act = mine.get(k);
                if (!rules.ignored().contains(act.op.name()) && !act.answers.equals(its.get(k).answers)) {
                    return ", in which step " + Conductor.label(act.op) + " answers " + text(its.get(k)) + ", not "
                            + text(act);
                }
            }
        }
        return ", which leaves other rows";
    }

    private static String text(Act act) {
        return String.join(", ", act.answers.stream().map(Storyteller::text).toList());
    }

    private static String text(Answer answer) {
        if (answer instanceof Answer.Rows rows) {
            return rows.rows().isEmpty()
                    ? "no row"
                    : String.join(
                            " ", rows.rows().stream().map(Object::toString).toList());
        }
        if (answer instanceof Answer.Count count) {
            return count.rows() + (count.rows() == 1 ? " row" : " rows");
        }
        return answer instanceof Answer.Failed failed ? failed.sqlState() : "done";
    }

    /** The order of the sessions in a serial run. */
    private String order(@Nullable Run serial) {
        if (serial == null) {
            return "";
        }
        List<String> names = new ArrayList<>();
        for (Run.Line line : serial.lines) {
            String name = arena.sessions().get(line.act().actor);
            if (names.isEmpty() || !names.get(names.size() - 1).equals(name)) {
                names.add(name);
            }
        }
        return String.join(", then ", names);
    }

    // ---- The lines of the picture.

    private List<Event> events(Run run) {
        List<Event> events = new ArrayList<>();
        Map<Integer, List<String>> held = new LinkedHashMap<>();
        State last = before;
        for (int i = 0; i < run.lines.size(); i++) {
            Run.Line line = run.lines.get(i);
            Act act = line.act();
            String session = arena.sessions().get(act.actor);
            List<String> by = act.waitedFor.stream()
                    .mapToObj(n -> arena.sessions().get(n))
                    .toList();
            if (line.waits()) {
                events.add(event(session, act, Event.Kind.WAITS, by, List.of(), List.of(), List.of()));
                continue;
            }
            List<String> holds = held.computeIfAbsent(act.actor, x -> new ArrayList<>());
            if (act.commits || act.aborts || act.failure() != null) {
                holds.clear();
            } else {
                Conflicts.locks(act, arena.catalog())
                        .filter(l -> !holds.contains(l))
                        .forEach(holds::add);
            }
            List<String> values = List.of();
            State now = after.get(act.endTurn);
            if (act.commits && now != null && lastLineOf(run, i, act.endTurn)) {
                values = Changes.between(last, now);
                last = now;
            }
            events.add(event(
                    session,
                    act,
                    act.waited() ? Event.Kind.RESUMED : Event.Kind.DONE,
                    by,
                    act.answers.stream().map(Storyteller::outcome).toList(),
                    holds,
                    values));
        }
        for (int i = 0; i < run.returned.size(); i++) {
            String text = run.returned.get(i);
            if (!text.isEmpty()) {
                events.add(new Event(
                        arena.sessions().get(i),
                        "",
                        1,
                        "returns",
                        Event.Kind.DONE,
                        List.of(),
                        List.of(new Outcome.Returned(text)),
                        List.of(),
                        List.of()));
            }
        }
        return events;
    }

    private static boolean lastLineOf(Run run, int index, int turn) {
        return run.lines.subList(index + 1, run.lines.size()).stream()
                .noneMatch(l -> !l.waits() && l.act().commits && l.act().endTurn == turn);
    }

    private static Event event(
            String session,
            Act act,
            Event.Kind kind,
            List<String> by,
            List<Outcome> outcomes,
            List<String> holds,
            List<String> values) {
        return new Event(session, act.op.name(), act.attempt, act.op.shown(), kind, by, outcomes, holds, values);
    }

    private static Outcome outcome(Answer answer) {
        if (answer instanceof Answer.Rows rows) {
            return new Outcome.Rows(rows.columns(), optional(rows));
        }
        if (answer instanceof Answer.Count count) {
            return new Outcome.Count(count.rows());
        }
        if (answer instanceof Answer.Failed failed) {
            return new Outcome.Failed(failed.sqlState(), failed.message());
        }
        return answer instanceof Answer.Returned returned ? new Outcome.Returned(returned.text()) : new Outcome.Done();
    }

    private static List<List<Optional<String>>> optional(Answer.Rows rows) {
        return rows.canonical().stream()
                .map(row -> row.stream().map(Optional::ofNullable).toList())
                .toList();
    }

    private List<Table> tables(Run run, @Nullable Run nearest) {
        return run.state.tables().entrySet().stream()
                .flatMap(entry -> {
                    Answer.Rows expected =
                            nearest == null ? null : nearest.state.tables().get(entry.getKey());
                    return Stream.of(new Table(
                            entry.getKey(),
                            entry.getValue().columns(),
                            optional(entry.getValue()),
                            expected == null ? "" : order(nearest),
                            expected == null ? List.of() : optional(expected)));
                })
                .toList();
    }
}
