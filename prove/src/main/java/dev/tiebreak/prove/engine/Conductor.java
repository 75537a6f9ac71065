package dev.tiebreak.prove.engine;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs one schedule at a time: lets one session through its gate, waits until everybody has come to rest (at the gate, at
 * the end, or waiting for a lock), and asks whose turn is next.
 *
 * <p>A session that is silent for {@value #SILENCE_MICROS} µs is looked up in {@code pg_blocking_pids}. A wait counts when
 * whoever it leads to is idle, or when two readings with nothing between them agree; a circle among them is a deadlock,
 * and the server is given time to choose its victim before the next turn.
 */
final class Conductor implements AutoCloseable {
    static final int SILENCE_MICROS = 300;
    private static final Duration DEADLOCK = Duration.ofSeconds(20);
    private static final long JVM_SILENCE = TimeUnit.MILLISECONDS.toNanos(100);

    final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Actor> actors = new ArrayList<>();
    private final Arena arena;
    private final Watch watch;
    private final Duration patience;
    private final @Nullable CommitProbe probe;
    private final Waits waits = new Waits(actors);
    private final Standing standing;

    private long changes;
    private boolean abandoning;
    private boolean closed;
    private Run run = new Run();

    /** Looks at a transaction just before it is committed: whether it changed rows. */
    interface CommitProbe {
        boolean changedRows(Link link) throws SQLException;
    }

    /**
     * A conductor for the sessions of an arena.
     *
     * @param patience how long a step may take while nobody of the race blocks it
     * @param probe asked before every COMMIT; null if nobody wants to know
     */
    Conductor(Arena arena, Watch watch, Duration patience, @Nullable CommitProbe probe) {
        this.arena = arena;
        this.standing = new Standing(actors, arena);
        this.watch = watch;
        this.patience = patience;
        this.probe = probe;
        for (String name : arena.sessions()) {
            actors.add(new Actor(actors.size(), name, this));
        }
    }

    List<Actor> actors() {
        return actors;
    }

    /** Runs the scripts in the order that the chooser decides. */
    Run run(List<Actor.Script> scripts, Chooser chooser, @Nullable TurnEnd afterTurn) throws SQLException {
        lock.lock();
        try {
            run = new Run();
            standing.begin();
            abandoning = false;
            for (Actor actor : actors) {
                actor.clear();
                start(actor, scripts.get(actor.index));
            }
            rest(-1);
            play(chooser, afterTurn);
            return finish();
        } finally {
            abandon();
            lock.unlock();
        }
    }

    /** Called after every turn, when everybody is at rest. */
    interface TurnEnd {
        void check(Run run, int turn) throws SQLException;
    }

    private void play(Chooser chooser, @Nullable TurnEnd afterTurn) throws SQLException {
        while (true) {
            int enabled = standing.enabled();
            if (enabled == 0) {
                run.stuck = stuck();
                return;
            }
            int chosen = chooser.choose(standing);
            if (chosen < 0) {
                run.cut = chosen == Chooser.CUT;
                run.infeasible = chosen == Chooser.INFEASIBLE;
                return;
            }
            run.turns.add(new Run.Turn(chosen, enabled, standing.previous(), standing.arrived()));
            turn(actors.get(chosen));
            if (afterTurn != null) {
                afterTurn.check(run, run.turns.size() - 1);
            }
        }
    }

    private void turn(Actor actor) throws SQLException {
        int lineBefore = run.lines.size();
        List<BitSet> reaches = waits.reaches();
        Footprint done = standing.next(actor.index);
        actor.granted = true;
        actor.state = Actor.State.RUNNING;
        actor.runningSince = System.nanoTime();
        actor.gate.signal();
        rest(actor.index);
        // Whoever was set free may have been quicker to say so than who set it free.
        run.lines.subList(lineBefore, run.lines.size()).sort(Comparator.comparingInt(line -> order(line, actor.index)));
        BitSet freed = new BitSet();
        for (Run.Line line : run.lines.subList(lineBefore, run.lines.size())) {
            done = done.and(line.act().touched);
            freed.set(line.act().actor, !reaches.get(line.act().actor).isEmpty());
        }
        standing.turned(actor.index, done);
        run.tied |= Waits.tied(freed, reaches);
        for (Actor other : actors) {
            Act act = other.current;
            if (other.state == Actor.State.RUNNING && act != null && !other.blockedBy.isEmpty()) {
                boolean fresh = act.waitedFor.isEmpty();
                act.waitedFor.or(other.blockedBy);
                if (fresh) {
                    run.lines.add(new Run.Line(act, true));
                }
            }
        }
    }

    /** Causes before effects: what the turn did and who began to wait, then errors (a victim), then whoever went on. */
    private static int order(Run.Line line, int acting) {
        Act act = line.act();
        boolean rollsBack = act.op.position() < 0;
        if (line.waits() || (act.actor == acting && !act.waited() && !rollsBack)) {
            return 0;
        }
        return act.failure() != null || rollsBack ? 1 : 2;
    }

    // ---- The gate, on the sessions' threads.

    <T extends @Nullable Object> T perform(Actor actor, Op op, Link link, boolean atOnce, Actor.Work<T> work)
            throws SQLException {
        Access access = arena.catalog().access(op.sql());
        Act act;
        Footprint footprint;
        Link.Phase before = link.phase();
        actor.inCode = false;
        lock.lock();
        try {
            actor.link = link;
            actor.pending = op;
            if (abandoning) {
                throw new Actor.Abandoned();
            }
            if (!atOnce && !actor.turnGoesOn) {
                awaitTurn(actor);
            }
            footprint = actor.footprint(access, op.sql());
            actor.pending = null;
            actor.turnGoesOn = access.local() && !atOnce && !arena.exact();
            act = new Act(actor.index, op, run.turns.size() - 1, actor.attempt);
            act.touched = footprint;
            actor.acts.add(act);
            actor.current = act;
            actor.inDatabase = true;
            actor.runningSince = System.nanoTime();
        } finally {
            lock.unlock();
        }
        try {
            if (probe != null && before == Link.Phase.OPEN && access.ends()) {
                act.wrote = probe.changedRows(link);
            }
            return work.run(act.answers);
        } catch (SQLException e) {
            String state = e.getSQLState();
            act.answers.add(new Answer.Failed(state == null ? "" : state, message(e)));
            throw e;
        } finally {
            lock.lock();
            try {
                actor.inDatabase = false;
                actor.blockedBy.clear();
                actor.current = null;
                act.endTurn = run.turns.size() - 1;
                if (act.failure() != null) {
                    act.touched = footprint.releasing(actor.held);
                } else if (before == Link.Phase.IDLE) {
                    act.wrote = mayHaveWritten(act, access);
                }
                actor.note(act, access, footprint, before, link.phase());
                run.lines.add(new Run.Line(act, false));
                actor.runningSince = System.nanoTime();
                actor.inCode = true;
                changes++;
                changed.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Whether a statement in a transaction of its own changed rows, as far as its answer tells. */
    private static boolean mayHaveWritten(Act act, Access access) {
        boolean counted = act.answers.stream().anyMatch(Answer.Count.class::isInstance);
        boolean changed = act.answers.stream().anyMatch(a -> a instanceof Answer.Count count && count.rows() > 0);
        return (access.unknown() || !access.writes().isEmpty()) && (changed || !counted);
    }

    private void awaitTurn(Actor actor) {
        actor.state = Actor.State.GATE;
        actor.heldInJvm = false;
        changes++;
        changed.signal();
        while (!actor.granted) {
            if (abandoning) {
                throw new Actor.Abandoned();
            }
            actor.gate.awaitUninterruptibly();
        }
        actor.granted = false;
    }

    private void start(Actor actor, Actor.Script script) {
        actor.state = Actor.State.RUNNING;
        actor.runningSince = System.nanoTime();
        actor.script = script;
        if (actor.thread == null) {
            Thread thread = new Thread(() -> live(actor), "tiebreak-" + actor.name);
            thread.setDaemon(true);
            actor.thread = thread;
            thread.start();
        }
        actor.gate.signal();
    }

    private void live(Actor actor) {
        while (true) {
            Actor.Script script;
            lock.lock();
            try {
                while (actor.script == null) {
                    if (closed) {
                        return;
                    }
                    actor.gate.awaitUninterruptibly();
                }
                script = actor.script;
            } finally {
                lock.unlock();
            }
            Throwable escaped = null;
            try {
                clearInterrupt();
                actor.inCode = true;
                script.play(actor);
            } catch (Actor.Abandoned e) {
                // As it should be.
            } catch (Throwable e) {
                escaped = e;
            } finally {
                actor.inCode = false;
            }
            lock.lock();
            try {
                actor.script = null;
                actor.escaped = abandoning ? null : escaped;
                actor.pending = null;
                actor.heldInJvm = false;
                actor.state = Actor.State.ENDED;
                changes++;
                changed.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    /** What ended a wait in the last run must not end one in this. */
    @SuppressWarnings("ResultOfMethodCallIgnored")
    private static void clearInterrupt() {
        Thread.interrupted();
    }

    static String message(SQLException e) {
        String text = e.getMessage() == null ? e.toString() : e.getMessage();
        if (text.startsWith("ERROR: ")) {
            text = text.substring("ERROR: ".length());
        }
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }

    // ---- Coming to rest.

    private void rest(int acting) throws SQLException {
        long deadline = System.nanoTime() + patience.toNanos();
        BitSet settled = waits.settled(acting);
        boolean grace = true;
        Map<Integer, Set<Integer>> before = Map.of();
        while (true) {
            List<Actor> busy = busy(settled);
            if (busy.isEmpty()) {
                return;
            }
            long seen = changes;
            if (grace && !await(seen, TimeUnit.MICROSECONDS.toNanos(SILENCE_MICROS))) {
                continue;
            }
            if (busy.stream().anyMatch(a -> !a.inDatabase && !a.heldInJvm)) {
                watchJvm(busy, deadline);
                continue;
            }
            List<Actor> asked = busy.stream().filter(a -> a.inDatabase).toList();
            if (asked.isEmpty()) {
                return;
            }
            Map<Integer, Set<Integer>> reading = read(asked);
            if (changes != seen) {
                before = Map.of();
                continue;
            }
            grace = true;
            if (!waits.allBlocked(asked, reading)) {
                before = Map.of();
                impatient(asked, reading, deadline);
                continue;
            }
            if (!waits.leadsToIdle(asked, reading) && !reading.equals(before)) {
                before = reading;
                grace = false;
                continue;
            }
            BitSet circle = waits.settle(asked, reading);
            if (circle.isEmpty()) {
                return;
            }
            awaitVictim(circle);
            settled.clear();
            before = Map.of();
        }
    }

    private List<Actor> busy(BitSet settled) {
        List<Actor> busy = new ArrayList<>();
        for (Actor actor : actors) {
            if (actor.state == Actor.State.RUNNING && !settled.get(actor.index)) {
                busy.add(actor);
            }
        }
        return busy;
    }

    /** Waits for news; true if there was none in time. */
    private boolean await(long seen, long nanos) {
        long left = nanos;
        while (changes == seen && left > 0) {
            try {
                left = changed.awaitNanos(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RaceException("interrupted");
            }
        }
        return changes == seen;
    }

    private void watchJvm(List<Actor> busy, long deadline) {
        long now = System.nanoTime();
        for (Actor actor : busy) {
            Thread thread = actor.thread;
            if (!actor.inCode || actor.heldInJvm || thread == null || now - actor.runningSince < JVM_SILENCE) {
                continue;
            }
            Thread.State state = thread.getState();
            if (state == Thread.State.BLOCKED || state == Thread.State.WAITING) {
                actor.heldInJvm = true;
            } else if (now > deadline) {
                throw new RaceException(
                        actor.name,
                        "",
                        "session " + actor.name + " is stuck in the JVM for " + patience.toSeconds()
                                + " s outside any statement, at " + where(thread),
                        null);
            }
        }
        if (busy.stream().anyMatch(a -> !a.inDatabase && !a.heldInJvm)) {
            await(changes, TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    private static String where(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .filter(f -> !f.getClassName().startsWith("java.")
                        && !f.getClassName().startsWith("jdk."))
                .findFirst()
                .map(StackTraceElement::toString)
                .orElse("an unknown place");
    }

    private Map<Integer, Set<Integer>> read(List<Actor> asked) throws SQLException {
        int[] pids = asked.stream().mapToInt(Waits::pid).toArray();
        lock.unlock();
        try {
            return watch.blockers(pids);
        } finally {
            lock.lock();
        }
    }

    private void awaitVictim(BitSet circle) {
        for (int i = circle.nextSetBit(0); i >= 0; i = circle.nextSetBit(i + 1)) {
            Act act = actors.get(i).current;
            if (act != null) {
                boolean fresh = act.waitedFor.isEmpty();
                act.waitedFor.or(actors.get(i).blockedBy);
                if (fresh) {
                    run.lines.add(new Run.Line(act, true));
                }
            }
        }
        int lines = run.lines.size();
        if (await(changes, DEADLOCK.toNanos())) {
            throw new RaceException("a deadlock was seen, but the server did not end it within " + DEADLOCK.toSeconds()
                    + " s; is deadlock_timeout longer?");
        }
        for (Run.Line line : List.copyOf(run.lines.subList(lines, run.lines.size()))) {
            Answer.Failed failed = line.act().failure();
            if (failed != null && failed.sqlState().equals("40P01")) {
                run.oddVictim |= arena.staggered() && line.act().actor != circle.nextSetBit(0);
            }
        }
    }

    private void impatient(List<Actor> asked, Map<Integer, Set<Integer>> reading, long deadline) throws SQLException {
        if (System.nanoTime() < deadline) {
            return;
        }
        for (Actor actor : asked) {
            Act act = actor.current;
            Link link = actor.link;
            if (!waits.blockers(actor, reading).isEmpty() || act == null || link == null) {
                continue;
            }
            Set<Integer> strangers = reading.getOrDefault(link.pid(), Set.of());
            String why = strangers.isEmpty()
                    ? ""
                    : "; it waits for server process " + strangers + ", which is no part of the race";
            throw new RaceException(
                    actor.name,
                    act.op.name(),
                    "step " + label(act.op) + " of session " + actor.name + " did not return within "
                            + patience.toSeconds() + " s (statement timeout)" + why,
                    null);
        }
    }

    static String label(Op op) {
        return op.name().isEmpty() ? "\"" + op.shown() + "\"" : op.name();
    }

    // ---- The end of a run.

    private @Nullable String stuck() {
        List<String> sentences = new ArrayList<>();
        for (Actor actor : actors) {
            Act act = actor.current;
            if (actor.state == Actor.State.RUNNING && act != null) {
                List<String> names = actor.blockedBy.stream()
                        .mapToObj(i -> actors.get(i).name)
                        .toList();
                sentences.add(actor.name + " waits for ever at " + label(act.op) + ": " + String.join(" and ", names)
                        + (names.size() == 1 ? " has" : " have") + " ended and still "
                        + (names.size() == 1 ? "holds" : "hold")
                        + " the lock");
            } else if (actor.state == Actor.State.RUNNING) {
                Thread thread = actor.thread;
                sentences.add(actor.name + " is blocked in the JVM" + (thread == null ? "" : " at " + where(thread)));
            }
        }
        return sentences.isEmpty() ? null : String.join("; ", sentences);
    }

    private Run finish() {
        run.committed = actors.stream().mapToInt(a -> a.committed).toArray();
        for (Actor actor : actors) {
            run.acts.add(List.copyOf(actor.acts));
            run.returned.add(actor.returned == null ? "" : actor.returned);
            run.retries += actor.retries;
            run.lost.set(actor.index, actor.lost || actor.complaint != null || actor.state != Actor.State.ENDED);
            if (actor.complaint != null) {
                run.complaints.add(actor.complaint);
            }
            Throwable escaped = actor.escaped;
            if (escaped instanceof RaceException fault) {
                throw fault;
            }
            if (escaped != null) {
                throw new RaceException(actor.name, "", "session " + actor.name + " failed: " + escaped, escaped);
            }
        }
        return run;
    }

    /** Sends home whoever has not ended. */
    private void abandon() throws SQLException {
        abandoning = true;
        actors.forEach(a -> a.gate.signal());
        long deadline = System.nanoTime() + patience.toNanos();
        while (actors.stream().anyMatch(a -> a.script != null)) {
            if (!await(changes, TimeUnit.MILLISECONDS.toNanos(5))) {
                continue;
            }
            for (Actor actor : actors) {
                Link link = actor.link;
                Thread thread = actor.thread;
                if (actor.script == null || thread == null) {
                    continue;
                }
                if (actor.inDatabase && link != null) {
                    link.cancel();
                } else if (actor.heldInJvm) {
                    thread.interrupt();
                }
            }
            if (System.nanoTime() > deadline) {
                String why = run.stuck == null ? "a session did not end after its run" : run.stuck;
                throw new RaceException(why + "; it could not be interrupted within " + patience.toSeconds() + " s");
            }
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            abandoning = true;
            actors.forEach(a -> a.gate.signal());
        } finally {
            lock.unlock();
        }
    }
}
