package dev.tiebreak.prove.engine;

import java.util.List;

/**
 * How a run stands between two turns: what a {@link Chooser} may look at.
 *
 * <p>Belongs to the {@link Conductor} and is used under its lock.
 */
final class Standing implements Chooser.View {
    private final List<Actor> actors;
    private final Arena arena;
    private int turns;
    private int previous = -1;
    private Footprint done = Footprint.NOTHING;

    Standing(List<Actor> actors, Arena arena) {
        this.actors = actors;
        this.arena = arena;
    }

    /** A new run begins. */
    void begin() {
        turns = 0;
        previous = -1;
        done = Footprint.NOTHING;
    }

    /** A turn is over: whose it was, and what it and those whom it set free have touched. */
    void turned(int actor, Footprint touched) {
        turns++;
        previous = actor;
        done = touched;
    }

    @Override
    public int turn() {
        return turns;
    }

    @Override
    public int enabled() {
        int bits = 0;
        for (Actor actor : actors) {
            if (actor.state == Actor.State.GATE) {
                bits |= 1 << actor.index;
            }
        }
        return bits;
    }

    @Override
    public int previous() {
        return previous;
    }

    @Override
    public long arrived() {
        long hash = 1;
        for (Actor actor : actors) {
            hash = hash * 31 + actor.state.name().hashCode();
            hash = hash * 31 + actor.acts.size();
            Op op = actor.pending;
            hash = hash * 31 + (op == null ? 0 : op.sql().hashCode());
            hash = hash * 31 + (actor.acts.isEmpty() ? 0 : outcome(actor.acts.get(actor.acts.size() - 1)));
        }
        return hash;
    }

    private static int outcome(Act act) {
        Answer.Failed failed = act.failure();
        return failed == null ? 0 : failed.sqlState().hashCode();
    }

    @Override
    public Footprint next(int actor) {
        Footprint next = actors.get(actor).footprint(arena.catalog());
        if (next.publishes()) {
            // It may set free whoever waits: what those are doing happens in the same turn.
            for (Actor other : actors) {
                Act act = other.current;
                if (act != null && !other.blockedBy.isEmpty()) {
                    next = next.and(act.touched);
                }
            }
        }
        return next;
    }

    @Override
    public Footprint done() {
        return done;
    }

    @Override
    public boolean inTransaction(int actor) {
        return actors.get(actor).inTransaction();
    }

    @Override
    public int committed(int actor) {
        return actors.get(actor).committed;
    }

    @Override
    public boolean ended(int actor) {
        return actors.get(actor).state == Actor.State.ENDED;
    }

    @Override
    public String step(int actor) {
        Op op = actors.get(actor).pending;
        return op == null ? "" : op.name();
    }
}
