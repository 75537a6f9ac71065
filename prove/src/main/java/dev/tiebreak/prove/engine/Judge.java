package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.spec.Directive.SerialEquivalent.Mode;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Says whether a run is good: errors first, then invariants, then whether an order of the transactions explains it. */
final class Judge {
    private final Rules rules;
    private final List<String> sessions;
    private final Masks masks;
    private final Serial serial;
    private final boolean comparesReturns;

    /**
     * A judge.
     *
     * @param comparesReturns whether a session's answer is what its code returned, not what the server said
     */
    Judge(Rules rules, List<String> sessions, Masks masks, Serial serial, boolean comparesReturns) {
        this.rules = rules;
        this.sessions = sessions;
        this.masks = masks;
        this.serial = serial;
        this.comparesReturns = comparesReturns;
    }

    /** Why the run is bad, or null if it is good. */
    @Nullable
    Breach breach(Run run) throws SQLException {
        if (!run.complaints.isEmpty()) {
            Actor.Complaint c = run.complaints.get(0);
            String step = c.act() == null ? "" : " at " + Conductor.label(c.act().op);
            String what = c.sqlState().isEmpty() ? "an error" : "error " + c.sqlState();
            return new Breach(
                    Breach.Kind.ERROR,
                    what,
                    sessions.get(c.actor()) + " fails" + step + ": " + c.message()
                            + (c.sqlState().isEmpty() ? "" : " (" + c.sqlState() + ")"));
        }
        if (run.stuck != null) {
            return new Breach(Breach.Kind.STUCK, "waits for ever", run.stuck);
        }
        if (!run.broken.isEmpty()) {
            String name = run.broken.get(0);
            return new Breach(
                    Breach.Kind.INVARIANT,
                    name,
                    "\"" + name + "\" is false"
                            + (run.brokenAfter >= 0 ? " after step " + (run.brokenAfter + 1) : " at the end"));
        }
        if (rules.mode() == Mode.OFF || run.serial() || fits(run, rules.mode() == Mode.WRITERS)) {
            return null;
        }
        return new Breach(
                Breach.Kind.ORDER, "serial equivalence", "no order of the transactions gives these answers and rows");
    }

    /** Whether an order of the transactions explains the run; of sessions that changed nothing, perhaps none. */
    boolean fits(Run run, boolean writersOnly) throws SQLException {
        List<Integer> optional = new ArrayList<>();
        for (int i = 0; i < sessions.size(); i++) {
            if (writersOnly && run.acts.get(i).stream().noneMatch(a -> a.committed && a.wrote)) {
                optional.add(i);
            }
        }
        for (int subset = 0; subset < 1 << optional.size(); subset++) {
            boolean[] out = new boolean[sessions.size()];
            for (int k = 0; k < optional.size(); k++) {
                out[optional.get(k)] = (subset & 1 << k) != 0;
            }
            if (match(run, out) != null) {
                return true;
            }
        }
        return false;
    }

    private @Nullable Run match(Run run, boolean... out) throws SQLException {
        int[] commits = commits(run, out);
        List<Run> candidates = serial.runs(commits);
        Object wanted = signature(run, out);
        for (Run candidate : candidates) {
            if (signature(candidate, out).equals(wanted)) {
                return candidate;
            }
        }
        return null;
    }

    /** How far each session has to go in the serial runs that this run is compared with. */
    int[] commits(Run run, boolean... out) {
        int[] commits = new int[sessions.size()];
        for (int i = 0; i < commits.length; i++) {
            int done = run.committed[i];
            commits[i] = out[i] || done == 0 ? 0 : run.lost.get(i) ? done : Serial.TO_THE_END;
        }
        return commits;
    }

    /** What is compared: answers of committed transactions, and the rows. */
    Object signature(Run run, boolean... out) {
        List<Object> all = new ArrayList<>();
        for (int i = 0; i < sessions.size(); i++) {
            List<Object> mine = new ArrayList<>();
            if (!out[i] && run.committed[i] > 0) {
                mine.add(run.committed[i]);
                answers(run, i, mine);
            }
            all.add(mine);
        }
        List<Object> rows = new ArrayList<>();
        for (Map.Entry<String, Answer.Rows> table : run.state.tables().entrySet()) {
            rows.add(masks.visible(table.getKey(), table.getValue()));
        }
        all.add(rows);
        return all;
    }

    private void answers(Run run, int session, List<Object> into) {
        if (comparesReturns) {
            into.add(masks.visibleReturn(sessions.get(session), run.returned.get(session)));
            return;
        }
        for (Act act : Masks.compared(run, session)) {
            if (rules.ignored().contains(act.op.name())) {
                continue;
            }
            into.add(act.op.position());
            for (int n = 0; n < act.answers.size(); n++) {
                into.add(masks.visible(Masks.place(sessions.get(session), act.op, n), act.answers.get(n)));
            }
        }
    }

    /** The outcome of a run as text: who committed with which answers, who failed how, and the rows. */
    String outcome(Run run) {
        List<String> errors = new ArrayList<>();
        for (List<Act> acts : run.acts) {
            Answer.Failed last =
                    acts.isEmpty() ? null : acts.get(acts.size() - 1).failure();
            for (int i = acts.size() - 1;
                    i >= 0 && last == null && acts.get(i).op.position() < 0;
                    i--) {
                last = i > 0 ? acts.get(i - 1).failure() : null;
            }
            errors.add(last == null ? "" : last.sqlState());
        }
        return signature(run, new boolean[sessions.size()]) + " " + errors + " " + run.broken + " "
                + (run.stuck == null ? "" : "stuck");
    }

    /** The serial run that is nearest to this one, for the explanation. */
    @Nullable
    Run nearest(Run run) throws SQLException {
        boolean[] out = new boolean[sessions.size()];
        List<?> wanted = (List<?>) signature(run, out);
        Run best = null;
        int least = Integer.MAX_VALUE;
        for (Run candidate : serial.runs(commits(run, out))) {
            List<?> given = (List<?>) signature(candidate, out);
            int differences = 0;
            for (int i = 0; i < wanted.size(); i++) {
                differences += given.get(i).equals(wanted.get(i)) ? 0 : 1;
            }
            if (differences < least) {
                least = differences;
                best = candidate;
            }
        }
        return best;
    }

    @Override
    public String toString() {
        return Arrays.toString(sessions.toArray());
    }
}
