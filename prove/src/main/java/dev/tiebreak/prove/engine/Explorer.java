package dev.tiebreak.prove.engine;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/*
 * Stateless search: a node of the tree of schedules is the list of choices that leads to it, and is reached by running
 * them again from the start. The nodes wait in one stack for each number of preemptions (a session switched away from
 * although it could have gone on), and the stack of the fewest is emptied first, so the first bad run has as few switches
 * as any (iterative context bounding, Musuvathi and Qadeer, PLDI 2007). A session that waits for a lock cannot be chosen.
 *
 * Sleep sets (Godefroid, 1996) leave out an order that only swaps turns whose footprints commute: what was tried first at
 * a node sleeps in the subtrees of its siblings until a turn that does not commute with it wakes it. They depend on the
 * order of the siblings, not on the time at which their subtrees are searched.
 */
/** Runs every schedule of a race, those with the fewest preemptions first. */
final class Explorer {
    /** How often a prefix that came out differently is tried again. */
    private static final int TRIES = 12;
    /** Further runs of a schedule in which the server decided who of two waiting sessions goes first. */
    private static final int PROBES = 2;

    /**
     * Bounds and switches.
     *
     * @param preemptions the most that a run may have
     * @param nanos the most time
     * @param runs the most runs
     * @param reduce whether orders that only swap commuting turns are left out
     * @param afterViolation how long to go on counting once the shortest bad run is known
     */
    record Limits(int preemptions, long nanos, long runs, boolean reduce, Duration afterViolation) {
        static final int ALL = Integer.MAX_VALUE;
    }

    /** A bad run and why it is bad. */
    record Finding(Run run, Breach breach) {
        boolean shorterThan(Finding other) {
            int mine = run.preemptions();
            int its = other.run.preemptions();
            if (mine != its) {
                return mine < its;
            }
            if (run.length() != other.run.length()) {
                return run.length() < other.run.length();
            }
            return Arrays.compare(run.schedule(), other.run.schedule()) < 0;
        }
    }

    /** A node to be visited: the choices that lead there, what was seen on the way, and who sleeps. */
    private static final class Item {
        final byte[] prefix;
        final long[] seen;
        final int preemptions;
        final int sleep;
        final int probes;

        Item(byte[] prefix, long[] seen, int preemptions, int sleep, int probes) {
            this.prefix = prefix;
            this.seen = seen;
            this.preemptions = preemptions;
            this.sleep = sleep;
            this.probes = probes;
        }
    }

    private final Lab lab;
    private final Judge judge;
    private final Limits limits;
    private final Consumer<Progress> listener;
    private final long start = System.nanoTime();
    private final List<ArrayDeque<Item>> levels = new ArrayList<>();
    private final Set<String> divergent = new HashSet<>();
    private final Set<String> outcomes = new TreeSet<>();

    private @Nullable Finding shortest;
    private long foundAt;
    private long interleavings;
    private long violations;
    private long waits;
    private long retries;
    private long ties;
    private boolean lostBranch;
    private boolean beyond;
    private int deepest;
    private boolean complete;
    private String stoppedBy = "";

    /** Where a search stands. */
    record Progress(long interleavings, long violations, int preemptions, long nanos) {}

    Explorer(Lab lab, Judge judge, Limits limits, Consumer<Progress> listener) {
        this.lab = lab;
        this.judge = judge;
        this.limits = limits;
        this.listener = listener;
    }

    /** Searches until everything was run or a limit is met. */
    void explore() throws SQLException {
        push(new Item(new byte[0], new long[0], 0, 0, 0));
        for (int level = 0; level < levels.size(); level++) {
            ArrayDeque<Item> open = levels.get(level);
            deepest = open.isEmpty() ? deepest : level;
            while (!open.isEmpty()) {
                if (stopped(level)) {
                    return;
                }
                visit(open.pop());
            }
        }
        complete = !beyond && !lostBranch;
        if (lostBranch) {
            stoppedBy = "an order that the server chose by itself did not come again";
        } else if (beyond) {
            stoppedBy = "the bound of " + limits.preemptions() + " preemptions";
        }
    }

    private boolean stopped(int level) {
        long now = System.nanoTime();
        Finding found = shortest;
        if (found != null
                && found.run.preemptions() < level
                && now - foundAt > limits.afterViolation().toNanos()) {
            stoppedBy = "enough was seen";
        } else if (now - start > limits.nanos()) {
            stoppedBy = "the time budget of " + words(Duration.ofNanos(limits.nanos()));
        } else if (interleavings >= limits.runs()) {
            stoppedBy = "the bound of " + limits.runs() + " interleavings";
        }
        return !stoppedBy.isEmpty();
    }

    private static String words(Duration time) {
        return time.toMillisPart() == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }

    private void push(Item item) {
        while (levels.size() <= item.preemptions) {
            levels.add(new ArrayDeque<>());
        }
        levels.get(item.preemptions).push(item);
    }

    private void visit(Item item) throws SQLException {
        for (int i = 1; i <= TRIES; i++) {
            Path path = new Path(item);
            Run run = lab.run(path, Lab.Kind.ORDINARY);
            if (path.divergedAt < 0) {
                take(run, path, item);
                return;
            }
            strange(run, path, item);
        }
        lostBranch = true;
    }

    /** The server decided otherwise than last time: what it did now is a branch of its own. */
    private void strange(Run run, Path path, Item item) throws SQLException {
        boolean serversChoice = run.tied || run.oddVictim || item.probes > 0 || !divergent.isEmpty();
        if (!serversChoice) {
            throw new Diverged(path.divergedAt, path.story);
        }
        String key = Arrays.toString(run.schedule())
                + path.arrivals.subList(0, Math.min(path.divergedAt + 1, path.arrivals.size()));
        if (divergent.add(key)) {
            take(run, path, item);
        }
    }

    /** A run did not go as the same choices went before, and the server had no say in it. */
    static final class Diverged extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final int turn;

        Diverged(int turn, String story) {
            super(story);
            this.turn = turn;
        }

        int turn() {
            return turn;
        }
    }

    private void take(Run run, Path path, Item item) throws SQLException {
        path.branches.forEach(this::branch);
        if (run.cut) {
            return;
        }
        if (item.probes > 0 && path.divergedAt < 0) {
            probe(run, path, item);
            return;
        }
        interleavings++;
        waits += run.waits();
        retries += run.retries;
        outcomes.add(judge.outcome(run));
        Breach breach = judge.breach(run);
        if (breach != null) {
            violations++;
            Finding finding = new Finding(run, breach);
            if (shortest == null || finding.shorterThan(shortest)) {
                shortest = finding;
                foundAt = System.nanoTime();
            }
        }
        if (run.tied) {
            ties++;
            probe(run, path, item);
        }
        listener.accept(new Progress(interleavings, violations, deepest, System.nanoTime() - start));
    }

    private void probe(Run run, Path path, Item item) {
        if (item.probes < PROBES) {
            push(new Item(bytes(run.schedule()), longs(path.arrivals), item.preemptions, 0, item.probes + 1));
        }
    }

    private void branch(Item item) {
        if (item.preemptions > limits.preemptions()) {
            beyond = true;
        } else {
            push(item);
        }
    }

    private static byte[] bytes(int... choices) {
        byte[] bytes = new byte[choices.length];
        for (int i = 0; i < choices.length; i++) {
            bytes[i] = (byte) choices[i];
        }
        return bytes;
    }

    private static long[] longs(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).toArray();
    }

    /** Follows an item's prefix, then goes on without preemption, and notes what else could have been chosen. */
    private final class Path implements Chooser {
        private final Item item;
        private final List<Long> arrivals = new ArrayList<>();
        private final List<Integer> made = new ArrayList<>();
        private final List<Item> branches = new ArrayList<>();
        private int divergedAt = -1;
        private String story = "";
        private int sleep;
        private int preemptions;

        Path(Item item) {
            this.item = item;
        }

        @Override
        public int choose(View view) {
            int turn = view.turn();
            if (turn == 0) {
                arrivals.clear();
                made.clear();
                branches.clear();
                divergedAt = -1;
                sleep = 0;
                preemptions = 0;
            }
            arrivals.add(view.arrived());
            int chosen = turn < item.prefix.length && divergedAt < 0 ? told(view) : ENOUGH;
            if (chosen < 0) {
                chosen = free(view);
            }
            if (chosen >= 0) {
                preemptions += preempts(view, chosen) ? 1 : 0;
                made.add(chosen);
            }
            return chosen;
        }

        private int told(View view) {
            int turn = view.turn();
            int chosen = item.prefix[turn];
            if (item.seen[turn] == view.arrived() && (view.enabled() & 1 << chosen) != 0) {
                if (turn == item.prefix.length - 1) {
                    sleep = item.sleep;
                }
                return chosen;
            }
            divergedAt = turn;
            StringBuilder steps = new StringBuilder();
            for (int i = 0; i < lab.arena().sessions().size(); i++) {
                steps.append(i == 0 ? "" : ", ")
                        .append(lab.arena().sessions().get(i))
                        .append(" at ")
                        .append(view.step(i));
            }
            story = "after the same " + turn + " turns it came out differently (now: " + steps + ")";
            return ENOUGH;
        }

        private int free(View view) {
            int turn = view.turn();
            if (turn > 0 && divergedAt != turn) {
                sleep = stillAsleep(view);
            }
            int awake = view.enabled() & ~sleep;
            if (awake == 0) {
                return CUT;
            }
            int previous = view.previous();
            int chosen =
                    previous >= 0 && (awake & 1 << previous) != 0 ? previous : Integer.numberOfTrailingZeros(awake);
            int tried = sleep | 1 << chosen;
            for (int rest = awake & ~(1 << chosen); rest != 0; rest &= rest - 1) {
                int other = Integer.numberOfTrailingZeros(rest);
                branches.add(new Item(
                        prefix(other),
                        longs(arrivals),
                        preemptions + (preempts(view, other) ? 1 : 0),
                        limits.reduce() ? tried : 0,
                        0));
                tried |= 1 << other;
            }
            return chosen;
        }

        private int stillAsleep(View view) {
            int asleep = 0;
            for (int rest = sleep; rest != 0; rest &= rest - 1) {
                int actor = Integer.numberOfTrailingZeros(rest);
                if (view.next(actor).commutesWith(view.done())) {
                    asleep |= 1 << actor;
                }
            }
            return asleep;
        }

        private byte[] prefix(int last) {
            byte[] prefix = new byte[made.size() + 1];
            for (int i = 0; i < made.size(); i++) {
                prefix[i] = made.get(i).byteValue();
            }
            prefix[made.size()] = (byte) last;
            return prefix;
        }

        private static boolean preempts(View view, int chosen) {
            int previous = view.previous();
            return previous >= 0 && previous != chosen && (view.enabled() & 1 << previous) != 0;
        }
    }

    // ---- What came of it.

    @Nullable
    Finding shortest() {
        return shortest;
    }

    Tally tally() {
        return new Tally(interleavings, violations, waits, retries, ties, deepest, complete, stoppedBy);
    }

    Set<String> outcomes() {
        return outcomes;
    }
}
