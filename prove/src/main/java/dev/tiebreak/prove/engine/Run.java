package dev.tiebreak.prove.engine;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One schedule that was run: the choices that were made, and everything that happened. */
public final class Run {
    /**
     * One turn: a session was let through its gate, and everything came to rest again.
     *
     * @param chosen the session
     * @param enabled bits of the sessions that could have been chosen
     * @param previous the session that had the turn before, or -1
     * @param arrived where everybody stood before the choice: equal prefixes have equal values here
     */
    record Turn(int chosen, int enabled, int previous, long arrived) {
        boolean preempts() {
            return previous >= 0 && previous != chosen && (enabled & 1 << previous) != 0;
        }
    }

    /**
     * A line of the run's story.
     *
     * @param act what
     * @param waits it began here and had to wait; otherwise it ended here
     */
    record Line(Act act, boolean waits) {}

    final List<Turn> turns = new ArrayList<>();
    final List<Line> lines = new ArrayList<>();
    final List<List<Act>> acts = new ArrayList<>();
    final List<Actor.Complaint> complaints = new ArrayList<>();
    final List<String> returned = new ArrayList<>();
    int[] committed = {};
    /** Which sessions ended with an error. */
    final BitSet lost = new BitSet();

    int retries;
    /** Stopped before its end because another run tells the same. */
    boolean cut;
    /** Could not follow the order it was told to. */
    boolean infeasible;
    /** A deadlock chose another victim than the one that is always chosen. */
    boolean oddVictim;
    /** One turn set free two waiting sessions at once: the server decided their order. */
    boolean tied;
    /** Sentences about sessions that waited for ever. */
    @Nullable
    String stuck;
    /** Names of the invariants that did not hold, in the order in which that was seen. */
    final List<String> broken = new ArrayList<>();
    /** The turn after which the first was seen to be broken; -1 if only the end was looked at. */
    int brokenAfter = -1;
    /** The names of what must happen sometimes and did. */
    final List<String> seen = new ArrayList<>();

    State state = State.NONE;

    /** How often a session was stopped that could have gone on. */
    public int preemptions() {
        return (int) turns.stream().filter(Turn::preempts).count();
    }

    /** The choices, a session's index each. */
    public int[] schedule() {
        return turns.stream().mapToInt(Turn::chosen).toArray();
    }

    int length() {
        return acts.stream().mapToInt(List::size).sum();
    }

    long waits() {
        return acts.stream().flatMap(List::stream).filter(Act::waited).count();
    }

    /** Whether no session was switched away from inside a transaction: then the run is an order of transactions. */
    boolean serial() {
        List<Act> all = new ArrayList<>();
        acts.forEach(all::addAll);
        all.sort((a, b) -> Integer.compare(a.turn, b.turn));
        int count = acts.size();
        int[] openTransaction = new int[count];
        java.util.Arrays.fill(openTransaction, -1);
        for (Act act : all) {
            if (act.waited()) {
                return false;
            }
            for (int i = 0; i < count; i++) {
                if (i != act.actor && openTransaction[i] >= 0) {
                    return false;
                }
            }
            openTransaction[act.actor] = act.commits || act.aborts ? -1 : act.transaction;
        }
        return true;
    }
}
