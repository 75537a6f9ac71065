package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.spec.Position;
import dev.tiebreak.prove.spec.SpecException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs a race from its start, one schedule a call, and looks at what is left: rows, invariants, sightings. */
final class Lab implements AutoCloseable {
    /** A deadlock with another victim than usual is run again so often. */
    private static final int TRIES = 6;

    private final Arena arena;
    private final Rules rules;
    private final Conductor conductor;
    private final Watch watch;
    private final Set<String> seen = new HashSet<>();
    private final @Nullable Probe probe;
    private long runs;

    Lab(Arena arena, Rules rules, Duration patience, boolean tracksWrites) throws SQLException {
        this.arena = arena;
        this.rules = rules;
        this.watch = new Watch(arena.control());
        this.probe = tracksWrites ? new Probe() : null;
        this.conductor = new Conductor(arena, watch, patience, probe);
    }

    /** How a run differs from the ordinary. */
    enum Kind {
        /** Judged at its end. */
        ORDINARY,
        /** One transaction after the other: only answers and rows matter. */
        REFERENCE,
        /** The same, with sequences moved on. */
        SHIFTED
    }

    /** Runs one schedule. */
    Run run(Chooser chooser, Kind kind) throws SQLException {
        for (int i = 1; ; i++) {
            Run run = once(chooser, kind);
            if (!run.oddVictim || i == TRIES) {
                return run;
            }
            arena.slowDeadlocks();
        }
    }

    private Run once(Chooser chooser, Kind kind) throws SQLException {
        arena.reset(conductor.actors(), probe != null);
        if (kind == Kind.SHIFTED) {
            arena.shift();
        }
        if (probe != null) {
            probe.use(arena.control());
        }
        List<Rules.Invariant> always =
                rules.invariants().stream().filter(Rules.Invariant::always).toList();
        boolean ordinary = kind == Kind.ORDINARY;
        Run run = conductor.run(
                arena.scripts(),
                chooser,
                always.isEmpty() || !ordinary
                        ? null
                        : (r, turn) -> {
                            if (r.broken.isEmpty()) {
                                check(always, r);
                                r.brokenAfter = r.broken.isEmpty() ? -1 : turn;
                            }
                        });
        runs++;
        if (run.cut || run.infeasible) {
            return run;
        }
        run.state = arena.state();
        if (ordinary) {
            check(rules.invariants(), run);
            look(run);
        }
        return run;
    }

    private void check(List<Rules.Invariant> invariants, Run run) throws SQLException {
        for (Rules.Invariant invariant : invariants) {
            if (!run.broken.contains(invariant.name())
                    && !holds("invariant \"" + invariant.name() + "\"", invariant.sql(), invariant.place())) {
                run.broken.add(invariant.name());
            }
        }
    }

    private void look(Run run) throws SQLException {
        for (Rules.Sometimes some : rules.sometimes()) {
            if (!seen.contains(some.name()) && occurred(some, run)) {
                seen.add(some.name());
            }
        }
    }

    private boolean occurred(Rules.Sometimes some, Run run) throws SQLException {
        if (!some.sql().isEmpty()) {
            return holds("sometimes \"" + some.name() + "\"", some.sql(), some.place());
        }
        for (int i = 0; i < run.acts.size(); i++) {
            if (!some.sessions().isEmpty()
                    && !some.sessions().contains(arena.sessions().get(i))) {
                continue;
            }
            for (Act act : run.acts.get(i)) {
                boolean happened =
                        switch (some.event()) {
                            case WAITED -> act.waited();
                            case FAILED -> act.failure() != null;
                            case RETRIED -> act.attempt > 1;
                        };
                if (happened) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether a query answers true. */
    private boolean holds(String what, String sql, @Nullable Position place) throws SQLException {
        String fault;
        try (Statement s = arena.control().createStatement();
                ResultSet r = s.executeQuery(sql)) {
            if (r.next()
                    && r.getMetaData().getColumnCount() == 1
                    && r.getMetaData().getColumnType(1) == Types.BIT) {
                return r.getBoolean(1);
            }
            fault = what + " must answer one row of one boolean column";
        } catch (SQLException e) {
            fault = what + ": " + Conductor.message(e) + " (" + e.getSQLState() + ")";
        }
        throw place == null ? new RaceException(fault) : new SpecException(place, fault);
    }

    /** What should have occurred by now and has not. */
    List<String> missing() {
        return rules.sometimes().stream()
                .map(Rules.Sometimes::name)
                .filter(name -> !seen.contains(name))
                .toList();
    }

    long runs() {
        return runs;
    }

    Arena arena() {
        return arena;
    }

    Rules rules() {
        return rules;
    }

    @Override
    public void close() throws SQLException {
        conductor.close();
        watch.close();
    }

    /** Asks the statistics of the running transaction whether rows were changed. */
    private static final class Probe implements Conductor.CommitProbe {
        private List<Long> oids = new ArrayList<>();

        void use(Connection control) throws SQLException {
            if (!oids.isEmpty()) {
                return;
            }
            List<Long> found = new ArrayList<>();
            try (Statement s = control.createStatement();
                    ResultSet r = s.executeQuery("""
                            SELECT oid FROM pg_class
                             WHERE relkind = 'r' AND relnamespace::regnamespace::text !~ '^(pg_|information_schema$)'""")) {
                while (r.next()) {
                    found.add(r.getLong(1));
                }
            }
            oids = found;
        }

        @Override
        public boolean changedRows(Link link) throws SQLException {
            String all = oids.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
            try (Statement s = link.connection().createStatement();
                    ResultSet r = s.executeQuery("SELECT coalesce(sum(pg_stat_get_xact_tuples_inserted(t)"
                            + " + pg_stat_get_xact_tuples_updated(t) + pg_stat_get_xact_tuples_deleted(t)), 0) > 0,"
                            + " pg_stat_force_next_flush() FROM unnest('" + all + "'::oid[]) t")) {
                return r.next() && r.getBoolean(1);
            }
        }
    }
}
