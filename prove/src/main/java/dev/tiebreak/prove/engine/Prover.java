package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.Coverage;
import dev.tiebreak.prove.Verdict;
import dev.tiebreak.prove.picture.Trace;
import dev.tiebreak.prove.spec.Directive.SerialEquivalent.Mode;
import dev.tiebreak.prove.spec.Spec;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Proves one race: serial runs first, then every interleaving, then the story of the shortest bad one. */
public final class Prover {
    /** How the sentence on a violation begins that no order of the transactions avoids. */
    public static final String NOT_A_RACE = "not a race";

    private static final long SHORTER_NANOS = Duration.ofSeconds(1).toNanos();

    private final String race;
    private final String file;
    private final Arena arena;
    private final Rules rules;
    private final Settings settings;
    private final boolean comparesReturns;
    private final List<String> notes;
    private final long start = System.nanoTime();
    private final Masks masks = new Masks();
    private Set<String> outcomes = Set.of();

    Prover(
            String race,
            String file,
            Arena arena,
            Rules rules,
            Settings settings,
            boolean comparesReturns,
            List<String> notes) {
        this.race = race;
        this.file = file;
        this.arena = arena;
        this.rules = rules;
        this.settings = settings;
        this.comparesReturns = comparesReturns;
        this.notes = new ArrayList<>(notes);
    }

    /** Runs the race and says what came of it. */
    Verdict prove() throws SQLException {
        while (true) {
            try (Lab lab = lab(rules.mode() == Mode.WRITERS)) {
                return prove(lab);
            } catch (Explorer.Diverged e) {
                if (!arena.slower()) {
                    throw new RaceException("not deterministic: " + e.getMessage());
                }
            } catch (NewMask e) {
                // Runs that were bad only for a value that nobody can compare: judge all of them again.
            }
        }
    }

    /** Thrown when a value turned out to be volatile, or a table to be written, after runs had been judged without it. */
    private static final class NewMask extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private Lab lab(boolean tracksWrites) throws SQLException {
        return new Lab(arena, rules, settings.patience(), tracksWrites);
    }

    /** Runs only the orders that the file lists. */
    Verdict proveListed(Spec spec, SpecArena listed) throws SQLException {
        try (Lab lab = lab(rules.mode() == Mode.WRITERS)) {
            Judge judge = new Judge(rules, arena.sessions(), masks, new Serial(lab, masks), comparesReturns);
            Listed orders = new Listed(spec, listed, lab, judge);
            orders.run();
            notes.add("only the " + spec.permutations().size() + " permutations of the file were run"
                    + (orders.infeasible() == 0 ? "" : "; " + orders.infeasible() + " of them cannot happen"));
            return verdict(
                    lab, judge, orders.tally(), orders.shortest(), spec.steps().size());
        }
    }

    private Verdict prove(Lab lab) throws SQLException {
        Serial serial = new Serial(lab, masks);
        Judge judge = new Judge(rules, arena.sessions(), masks, serial, comparesReturns);
        int[] all = new int[arena.sessions().size()];
        Arrays.fill(all, Serial.TO_THE_END);
        List<Run> references = serial.runs(all);
        int steps = references.stream().mapToInt(Run::length).max().orElse(0);
        if (comparesReturns) {
            repeats(lab, references);
        }
        int known = masks.names().size();
        int generation = arena.generation();
        Explorer explorer = new Explorer(lab, judge, limits(settings.reduce()), settings.listener());
        explorer.explore();
        boolean unfair = masks.names().size() > known && explorer.tally().violations() > 0;
        if (unfair || arena.generation() > generation) {
            throw new NewMask();
        }
        outcomes = explorer.outcomes();
        Tally tally = explorer.tally();
        if (tally.ties() > 0) {
            notes.add("in " + tally.ties() + " runs one step set free two sessions that had waited: the server chose"
                    + " which went first");
        }
        Explorer.Finding found = explorer.shortest();
        return verdict(lab, judge, tally, found == null ? null : shorter(lab, judge, found), steps);
    }

    private Verdict verdict(Lab lab, Judge judge, Tally tally, Explorer.@Nullable Finding found, int steps)
            throws SQLException {
        if (found != null) {
            return violated(tally, judge, found, steps);
        }
        Coverage coverage = coverage(tally, steps);
        if (!tally.complete()) {
            return new Verdict.Undecided(race, file, coverage, "ended by " + tally.stoppedBy());
        }
        if (!lab.missing().isEmpty()) {
            return new Verdict.Undecided(
                    race, file, coverage, "never happened: \"" + String.join("\", \"", lab.missing()) + "\"");
        }
        if (tally.interleavings() == 0) {
            return new Verdict.Undecided(race, file, coverage, "no order could be run");
        }
        return new Verdict.Proved(race, file, coverage);
    }

    /** Runs the first serial run again: code that does something else then cannot be explored. */
    private void repeats(Lab lab, List<Run> references) throws SQLException {
        if (references.isEmpty()) {
            return;
        }
        Run first = references.get(0);
        Run again = lab.run(new Follow(first.schedule()), Lab.Kind.REFERENCE);
        for (int i = 0; i < arena.sessions().size(); i++) {
            List<String> one = first.acts.get(i).stream().map(a -> a.op.sql()).toList();
            List<String> two = again.acts.get(i).stream().map(a -> a.op.sql()).toList();
            for (int k = 0; k < Math.max(one.size(), two.size()); k++) {
                String then = k < one.size() ? one.get(k) : "nothing more";
                String now = k < two.size() ? two.get(k) : "nothing more";
                if (!then.equals(now)) {
                    throw new RaceException(
                            arena.sessions().get(i),
                            "",
                            "session " + arena.sessions().get(i)
                                    + " is not deterministic: in the same order it asked for \"" + then
                                    + "\" and then for \"" + now + "\"",
                            null);
                }
            }
        }
    }

    private Explorer.Limits limits(boolean reduce) {
        return new Explorer.Limits(
                settings.preemptions(),
                settings.budget().toNanos(),
                settings.interleavings(),
                reduce
                        && settings.preemptions() == Explorer.Limits.ALL
                        && rules.invariants().stream().noneMatch(Rules.Invariant::always),
                settings.afterViolation());
    }

    /** Looks for a bad run with fewer switches among those that were left out as swaps of others. */
    private Explorer.Finding shorter(Lab lab, Judge judge, Explorer.Finding found) throws SQLException {
        int fewest = found.run().preemptions();
        if (!limits(settings.reduce()).reduce() || fewest == 0) {
            return found;
        }
        Explorer again = new Explorer(
                lab,
                judge,
                new Explorer.Limits(fewest - 1, SHORTER_NANOS, Long.MAX_VALUE, false, Duration.ZERO),
                progress -> {});
        again.explore();
        Explorer.Finding other = again.shortest();
        return other == null ? found : other;
    }

    private Verdict violated(Tally tally, Judge judge, Explorer.Finding found, int steps) throws SQLException {
        Breach breach = found.breach();
        String sentence = "";
        Run told = found.run();
        Storyteller teller = new Storyteller(arena, judge, rules);
        try (Lab lab = lab(true)) {
            Run again = teller.watch(lab, found.run());
            if (again != null) {
                told = again;
            }
        }
        if (found.run().serial()) {
            sentence = NOT_A_RACE + ": fails one after another; ";
        } else if (breach.kind() == Breach.Kind.ORDER && rules.mode() == Mode.ON && judge.fits(told, true)) {
            sentence = "only the answer of a session that changed nothing does not fit one order (#@ serial-equivalent"
                    + " writers leaves such answers out); ";
        }
        Coverage coverage = coverage(tally, steps);
        String counts = counts(coverage, breach);
        Trace trace = teller.tell(race, counts, told, breach, sentence);
        List<String> schedule = Arrays.stream(found.run().schedule())
                .mapToObj(i -> arena.sessions().get(i))
                .toList();
        return new Verdict.Violated(
                race,
                file,
                coverage,
                breach.what(),
                trace.reason().sentence(),
                found.run().preemptions(),
                schedule,
                trace,
                List.of());
    }

    private static String counts(Coverage coverage, Breach breach) {
        String of = coverage.complete() ? "" : "the first ";
        return coverage.violations() + " of " + of + coverage.interleavings() + " interleavings " + breach.verb();
    }

    private Coverage coverage(Tally tally, int steps) throws SQLException {
        return new Coverage(
                arena.sessions(),
                steps,
                tally.interleavings(),
                tally.violations(),
                tally.deepest(),
                tally.complete(),
                isolation(),
                server(arena.control()),
                rules.maxRetries(),
                masks.names(),
                notes,
                Duration.ofNanos(System.nanoTime() - start),
                tally.waits(),
                tally.retries());
    }

    private String isolation() {
        return String.join(
                " and ",
                arena.levels().stream().map(Level::text).sorted().distinct().toList());
    }

    private static String server(Connection control) throws SQLException {
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery("SHOW server_version")) {
            r.next();
            return r.getString(1).replaceAll(" .*", "");
        }
    }

    /** Runs one schedule and tells it; null if it cannot be followed. */
    @Nullable
    Trace replay(List<String> schedule) throws SQLException {
        Masks own = new Masks();
        try (Lab lab = lab(true)) {
            Judge judge = new Judge(rules, arena.sessions(), own, new Serial(lab, own), comparesReturns);
            int[] turns = schedule.stream().mapToInt(arena.sessions()::indexOf).toArray();
            if (comparesReturns) {
                // Which tables are written is known only when it has been seen.
                lab.run(new Follow(turns), Lab.Kind.REFERENCE);
            }
            Storyteller teller = new Storyteller(arena, judge, rules);
            Run run = teller.watch(lab, turns);
            if (run == null) {
                return null;
            }
            Breach breach = judge.breach(run);
            return breach == null
                    ? teller.tell(race, "this interleaving is good", run, new Breach(Breach.Kind.ORDER, "", ""), "")
                    : teller.tell(race, "this interleaving is bad: " + breach.what(), run, breach, "");
        }
    }

    /** What came out in the runs, a text each; for comparing two searches. */
    Set<String> outcomes() {
        return outcomes;
    }
}
