package dev.tiebreak.prove.engine;

/** Follows a schedule to its end; whatever is left then goes on without preemption. */
final class Follow implements Chooser {
    private final int[] schedule;

    Follow(int... schedule) {
        this.schedule = schedule;
    }

    @Override
    public int choose(View view) {
        int enabled = view.enabled();
        if (view.turn() < schedule.length) {
            int told = schedule[view.turn()];
            return (enabled & 1 << told) != 0 ? told : INFEASIBLE;
        }
        int previous = view.previous();
        return previous >= 0 && (enabled & 1 << previous) != 0 ? previous : Integer.numberOfTrailingZeros(enabled);
    }
}
