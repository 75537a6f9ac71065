package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.Verdict;
import dev.tiebreak.prove.picture.Trace;
import dev.tiebreak.prove.spec.Directive.Event;
import dev.tiebreak.prove.spec.Directive.SerialEquivalent.Mode;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/** A race of ordinary code on its way to a verdict. */
public final class JavaRun {
    private final JavaRace race;
    private final DataSource source;
    private final List<Rules.Invariant> invariants = new ArrayList<>();
    private final List<Rules.Sometimes> sometimes = new ArrayList<>();
    private final List<Rules.Allowance> allowances = new ArrayList<>();
    private Mode mode = Mode.ON;

    /** A run of a race with the connections of a source. */
    public JavaRun(JavaRace race, DataSource source) {
        this.race = race;
        this.source = Seats.ordinary(source);
    }

    /** What must be true. */
    public void invariant(String name, boolean always, String sql) {
        invariants.add(new Rules.Invariant(name, always, sql, null));
    }

    /** What must occur; an empty query stands for "someone waited". */
    public void sometimes(String name, String sql) {
        sometimes.add(new Rules.Sometimes(name, sql, Event.WAITED, Set.of(), null));
    }

    /** Errors that may end a session. */
    public void allow(Set<String> states) {
        allowances.add(new Rules.Allowance(states, 0, Set.of()));
    }

    /** Which sessions have to fit an order. */
    public void serial(Mode which) {
        mode = which;
    }

    private Rules rules() {
        return new Rules(mode, invariants, sometimes, Set.of(), allowances);
    }

    /**
     * Proves the race.
     *
     * @throws RaceException if it cannot be run
     */
    public Verdict prove(Settings settings) {
        Rules rules = rules();
        try (JavaArena arena = new JavaArena(race, rules, source)) {
            return new Prover(race.name(), "", arena, rules, settings, true, List.of()).prove();
        } catch (SQLException e) {
            throw new RaceException("", "", "the server failed: " + e.getMessage() + " (" + e.getSQLState() + ")", e);
        }
    }

    /** Runs one schedule and tells it. */
    public Trace replay(List<String> schedule, Duration patience) {
        Rules rules = rules();
        Settings settings = SpecRun.settings(Explorer.Limits.ALL, Duration.ofDays(1), patience, true, progress -> {});
        try (JavaArena arena = new JavaArena(race, rules, source)) {
            Trace trace = new Prover(race.name(), "", arena, rules, settings, true, List.of()).replay(schedule);
            if (trace == null) {
                throw new RaceException("the schedule cannot be followed: " + String.join(" ", schedule));
            }
            return trace;
        } catch (SQLException e) {
            throw new RaceException("", "", "the server failed: " + e.getMessage() + " (" + e.getSQLState() + ")", e);
        }
    }
}
