package dev.tiebreak.prove.engine;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The runs that switch only between transactions: what every other run has to look like. Made when they are first needed,
 * each of them twice (the second time with sequences moved on, to see which values are {@linkplain Masks volatile}).
 */
final class Serial {
    /** The session runs to its end, whatever it commits. */
    static final int TO_THE_END = -1;

    /** More orders than this are not enumerated. */
    static final int MOST = 20_000;

    private final Lab lab;
    private final Masks masks;
    private final Map<String, List<Run>> known = new HashMap<>();

    Serial(Lab lab, Masks masks) {
        this.lab = lab;
        this.masks = masks;
    }

    /**
     * All serial runs in which each session commits so many transactions and then stops.
     *
     * @param commits of each session, or {@link #TO_THE_END}
     */
    List<Run> runs(int... commits) throws SQLException {
        String key = Arrays.toString(commits);
        List<Run> runs = known.get(key);
        if (runs == null) {
            runs = enumerate(commits);
            known.put(key, runs);
        }
        return runs;
    }

    private List<Run> enumerate(int... commits) throws SQLException {
        List<Run> runs = new ArrayList<>();
        ArrayDeque<int[]> open = new ArrayDeque<>();
        open.push(new int[0]);
        while (!open.isEmpty()) {
            Order order = new Order(open.pop(), commits);
            Run run = lab.run(order, Lab.Kind.REFERENCE);
            for (int i = order.branches.size() - 1; i >= 0; i--) {
                open.push(order.branches.get(i));
            }
            if (run.infeasible || run.stuck != null) {
                continue;
            }
            Run shifted = lab.run(new Order(run.schedule(), commits), Lab.Kind.SHIFTED);
            if (!shifted.infeasible) {
                masks.learn(run, shifted, lab.arena().sessions());
            }
            runs.add(run);
            if (runs.size() > MOST) {
                throw new RaceException(
                        "more than " + MOST + " orders of single transactions: use #@ serial-equivalent off");
            }
        }
        return runs;
    }

    /** Follows a prefix, then stays with a session until its transaction ends, and notes where it could have switched. */
    private static final class Order implements Chooser {
        private final int[] prefix;
        private final int[] commits;
        private final List<Integer> made = new ArrayList<>();
        private final List<int[]> branches = new ArrayList<>();

        Order(int[] prefix, int... commits) {
            this.prefix = prefix;
            this.commits = commits;
        }

        @Override
        public int choose(View view) {
            if (view.turn() == 0) {
                made.clear();
                branches.clear();
            }
            int chosen = next(view);
            if (chosen >= 0) {
                made.add(chosen);
            }
            return chosen;
        }

        private int next(View view) {
            int previous = view.previous();
            if (previous >= 0 && view.inTransaction(previous)) {
                return (view.enabled() & 1 << previous) != 0 ? previous : INFEASIBLE;
            }
            if (view.turn() < prefix.length) {
                int told = prefix[view.turn()];
                return (view.enabled() & 1 << told) != 0 ? told : INFEASIBLE;
            }
            int chosen = ENOUGH;
            for (int actor = 0; actor < commits.length; actor++) {
                boolean more = commits[actor] == TO_THE_END || view.committed(actor) < commits[actor];
                if (!more || (view.enabled() & 1 << actor) == 0) {
                    continue;
                }
                if (chosen < 0) {
                    chosen = actor;
                } else {
                    int[] branch = new int[made.size() + 1];
                    for (int i = 0; i < made.size(); i++) {
                        branch[i] = made.get(i);
                    }
                    branch[made.size()] = actor;
                    branches.add(branch);
                }
            }
            return chosen;
        }
    }
}
