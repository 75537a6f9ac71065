package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.spec.Permutation;
import dev.tiebreak.prove.spec.Spec;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Runs the orders that a file lists, and no others. */
final class Listed {
    private final Spec spec;
    private final SpecArena arena;
    private final Lab lab;
    private final Judge judge;
    private Explorer.@Nullable Finding shortest;
    private @Nullable Permutation broken;
    private long interleavings;
    private long violations;
    private long infeasible;
    private long waits;
    private long retries;

    Listed(Spec spec, SpecArena arena, Lab lab, Judge judge) {
        this.spec = spec;
        this.arena = arena;
        this.lab = lab;
        this.judge = judge;
    }

    /** Runs them all. */
    void run() throws SQLException {
        for (Permutation permutation : spec.permutations()) {
            arena.follow(permutation);
            Run run = lab.run(new Order(permutation), Lab.Kind.ORDINARY);
            if (run.infeasible) {
                infeasible++;
                continue;
            }
            interleavings++;
            waits += run.waits();
            retries += run.retries;
            Breach breach = judge.breach(run);
            if (breach == null) {
                continue;
            }
            violations++;
            Explorer.Finding finding = new Explorer.Finding(run, breach);
            if (shortest == null || finding.shorterThan(shortest)) {
                shortest = finding;
                broken = permutation;
            }
        }
        arena.follow(broken);
    }

    Explorer.@Nullable Finding shortest() {
        return shortest;
    }

    Tally tally() {
        return new Tally(interleavings, violations, waits, retries, 0, 0, true, "");
    }

    /** How many cannot be run because a session would have to go on while it waits. */
    long infeasible() {
        return infeasible;
    }

    /** The sessions in the order of the permutation; then whatever is left, without preemption. */
    private final class Order implements Chooser {
        private final Permutation permutation;
        private int next;

        Order(Permutation permutation) {
            this.permutation = permutation;
        }

        @Override
        public int choose(View view) {
            next = view.turn() == 0 ? 0 : next;
            while (next < permutation.turns().size()) {
                String step = permutation.turns().get(next++).step();
                int actor = arena.sessions().indexOf(spec.sessionOf(step).name());
                if ((view.enabled() & 1 << actor) != 0) {
                    return actor;
                }
                if (!view.ended(actor)) {
                    return INFEASIBLE;
                }
            }
            int previous = view.previous();
            boolean stays = previous >= 0 && (view.enabled() & 1 << previous) != 0;
            return stays ? previous : Integer.numberOfTrailingZeros(view.enabled());
        }
    }
}
