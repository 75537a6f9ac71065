package dev.tiebreak.prove.engine;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who waits for whom among the sessions of a race, and what follows from it: whom a wait leads to, whether it can end by
 * itself, and which of them stand in a circle.
 *
 * <p>A reading is what {@link Watch} says: of each server process those that block it. Belongs to the {@link Conductor} and is
 * used under its lock.
 */
final class Waits {
    private final List<Actor> actors;

    Waits(List<Actor> actors) {
        this.actors = actors;
    }

    /** Of each session those that its wait leads to. */
    List<BitSet> reaches() {
        return actors.stream().map(this::reach).toList();
    }

    /** Whether two of the sessions that were set free did not wait for each other: then nobody said who goes first. */
    static boolean tied(BitSet freed, List<BitSet> waits) {
        return freed.stream().anyMatch(a -> freed.stream()
                .anyMatch(b -> a < b && !waits.get(a).get(b) && !waits.get(b).get(a)));
    }

    /** Sessions that wait for somebody whom this turn does not touch, and so cannot have moved. */
    BitSet settled(int acting) {
        BitSet settled = new BitSet();
        for (Actor actor : actors) {
            if (actor.state == Actor.State.RUNNING && !actor.blockedBy.isEmpty() && acting >= 0) {
                BitSet roots = reach(actor);
                if (!roots.get(acting)) {
                    settled.set(actor.index);
                }
            }
        }
        return settled;
    }

    /** Those that a session's wait leads to. */
    private BitSet reach(Actor from) {
        BitSet all = new BitSet();
        ArrayDeque<Integer> open = new ArrayDeque<>(List.of(from.index));
        while (!open.isEmpty()) {
            actors.get(open.pop()).blockedBy.stream().filter(i -> !all.get(i)).forEach(i -> {
                all.set(i);
                open.push(i);
            });
        }
        return all;
    }

    /** The server process of a session; 0 before its first statement. */
    static int pid(Actor actor) {
        Link link = actor.link;
        return link == null ? 0 : link.pid();
    }

    /** The sessions of the race that block it, by this reading. */
    BitSet blockers(Actor actor, Map<Integer, Set<Integer>> reading) {
        BitSet by = new BitSet();
        Set<Integer> pids = reading.getOrDefault(pid(actor), Set.of());
        for (Actor other : actors) {
            if (pids.stream().anyMatch(pid -> pid == pid(other))) {
                by.set(other.index);
            }
        }
        return by;
    }

    /** Whether each of those asked is blocked by another session of the race. */
    boolean allBlocked(List<Actor> asked, Map<Integer, Set<Integer>> reading) {
        return asked.stream().noneMatch(a -> blockers(a, reading).isEmpty());
    }

    /** Whether every wait ends at a session that has no statement under way: such a wait cannot end by itself. */
    boolean leadsToIdle(List<Actor> asked, Map<Integer, Set<Integer>> reading) {
        return asked.stream().allMatch(a -> blockers(a, reading).stream().noneMatch(i -> actors.get(i).inDatabase));
    }

    /** Takes over who waits for whom, and returns the members of a circle, if there is one. */
    BitSet settle(List<Actor> asked, Map<Integer, Set<Integer>> reading) {
        for (Actor actor : asked) {
            actor.blockedBy.clear();
            actor.blockedBy.or(blockers(actor, reading));
        }
        BitSet circle = new BitSet();
        for (Actor actor : actors) {
            if (reach(actor).get(actor.index)) {
                circle.set(actor.index);
            }
        }
        return circle;
    }
}
