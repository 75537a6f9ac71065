package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.Verdict;
import dev.tiebreak.prove.picture.Trace;
import dev.tiebreak.prove.spec.Directive;
import dev.tiebreak.prove.spec.Position;
import dev.tiebreak.prove.spec.Session;
import dev.tiebreak.prove.spec.Spec;
import dev.tiebreak.prove.spec.SpecException;
import dev.tiebreak.prove.spec.Step;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** A spec file on its way to a verdict. */
public final class SpecRun {
    private final Spec spec;
    private final Connector connector;

    /**
     * A run of a file.
     *
     * @param connector opens one connection a session, and one more
     */
    public SpecRun(Spec spec, Connector connector) {
        this.spec = spec;
        this.connector = connector;
    }

    /**
     * Proves the race.
     *
     * @throws SpecException if the file cannot be run; the message names its line
     * @throws RaceException if the server is the reason
     */
    public Verdict prove(Settings settings) {
        Rules rules = rules(spec);
        try (SpecArena arena = new SpecArena(spec, rules, connector, settings.patience())) {
            Prover prover = new Prover(spec.title(), spec.file(), arena, rules, settings, false, notes());
            return spec.permutations().isEmpty() ? prover.prove() : prover.proveListed(spec, arena);
        } catch (RaceException e) {
            throw placed(e);
        } catch (SQLException e) {
            throw new RaceException("", "", "the server failed: " + e.getMessage() + " (" + e.getSQLState() + ")", e);
        }
    }

    /** All that came out, for comparing searches. */
    Set<String> outcomes(Settings settings) throws SQLException {
        Rules rules = rules(spec);
        try (SpecArena arena = new SpecArena(spec, rules, connector, settings.patience())) {
            Prover prover = new Prover(spec.title(), spec.file(), arena, rules, settings, false, List.of());
            prover.prove();
            return prover.outcomes();
        }
    }

    /**
     * Runs one schedule and tells it.
     *
     * @param schedule the session of each turn
     */
    public Trace replay(List<String> schedule, Duration patience) {
        for (String session : schedule) {
            if (spec.sessions().stream().noneMatch(s -> s.name().equals(session))) {
                throw new RaceException(
                        "the schedule names session " + session + ", which " + spec.file() + " does not have");
            }
        }
        Rules rules = rules(spec);
        Settings settings = new Settings(
                Explorer.Limits.ALL, Duration.ofDays(1), Long.MAX_VALUE, true, Duration.ZERO, patience, progress -> {});
        try (SpecArena arena = new SpecArena(spec, rules, connector, patience)) {
            Trace trace =
                    new Prover(spec.title(), spec.file(), arena, rules, settings, false, List.of()).replay(schedule);
            if (trace == null) {
                throw new RaceException(
                        "the schedule cannot be followed on this server: " + String.join(" ", schedule));
            }
            return trace;
        } catch (RaceException e) {
            throw placed(e);
        } catch (SQLException e) {
            throw new RaceException("", "", "the server failed: " + e.getMessage() + " (" + e.getSQLState() + ")", e);
        }
    }

    /** Drops what killed proofs of this role left in the database. */
    public static void dropLeftovers(Connector connector) throws SQLException {
        try (Connection control = connector.open("tiebreak")) {
            Home.dropLeftovers(control);
        }
    }

    /** Bounds for a proof. */
    public static Settings settings(
            int preemptions, Duration budget, Duration patience, boolean reduce, Consumer<long[]> progress) {
        return new Settings(
                preemptions,
                budget,
                Long.MAX_VALUE,
                reduce,
                Duration.ofSeconds(2),
                patience,
                p -> progress.accept(new long[] {p.interleavings(), p.violations(), p.preemptions(), p.nanos()}));
    }

    /** Adds file and line to a fault of a step or session. */
    private RuntimeException placed(RaceException e) {
        Position at = null;
        for (Session session : spec.sessions()) {
            if (session.name().equals(e.session())) {
                at = session.at();
                for (Step step : session.steps()) {
                    at = step.name().equals(e.step()) ? step.at() : at;
                }
            }
        }
        return at == null ? e : new SpecException(at, String.valueOf(e.getMessage()), e);
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        boolean timeouts = spec.sessions().stream()
                .flatMap(s -> s.steps().stream())
                .anyMatch(s -> s.sql().text().contains("lock_timeout")
                        || s.sql().text().contains("statement_timeout"));
        if (timeouts) {
            notes.add("that a timeout ends a wait was not tried: every wait lasted until the lock was free");
        }
        return notes;
    }

    /** What the file asks to be judged. */
    static Rules rules(Spec spec) {
        List<Rules.Invariant> invariants = spec.directives(Directive.Invariant.class).stream()
                .map(d -> new Rules.Invariant(d.name(), d.always(), d.sql().text(), d.at()))
                .toList();
        Set<String> ignored = new HashSet<>();
        spec.directives(Directive.IgnoreResult.class).forEach(d -> ignored.addAll(d.steps()));
        List<Rules.Allowance> allowances = spec.directives(Directive.Errors.class).stream()
                .map(d -> new Rules.Allowance(d.states(), d.retries(), d.sessions()))
                .toList();
        Directive.SerialEquivalent.Mode mode = spec.directives(Directive.SerialEquivalent.class).stream()
                .map(Directive.SerialEquivalent::mode)
                .findFirst()
                .orElse(Directive.SerialEquivalent.Mode.ON);
        return new Rules(mode, invariants, sometimes(spec), ignored, allowances);
    }

    private static List<Rules.Sometimes> sometimes(Spec spec) {
        List<Rules.Sometimes> all = new ArrayList<>();
        for (Directive.Sometimes d : spec.directives(Directive.Sometimes.class)) {
            if (d.what() instanceof Directive.Sight.Query query) {
                all.add(new Rules.Sometimes(d.name(), query.sql().text(), Directive.Event.WAITED, Set.of(), d.at()));
            } else if (d.what() instanceof Directive.Sight.Happened happened) {
                all.add(new Rules.Sometimes(d.name(), "", happened.event(), happened.sessions(), d.at()));
            }
        }
        return all;
    }
}
