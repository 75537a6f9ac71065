package dev.tiebreak.prove.engine;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * One session of a race: a thread that runs a script and stops at a gate before every operation.
 *
 * <p>The script calls {@link #perform} on the session's thread; everything else belongs to the {@link Conductor} and is
 * guarded by its lock.
 */
public final class Actor {
    /** What a session does in a run. */
    @FunctionalInterface
    public interface Script {
        /** Runs on the session's thread, once a run. */
        void play(Actor actor) throws Exception;
    }

    /** One operation, on the session's thread. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        /** Does it and adds the answers. */
        T run(List<Answer> answers) throws SQLException;
    }

    /** Thrown at the gate when the run is over for this session; scripts must let it pass. */
    @SuppressWarnings("serial")
    static final class Abandoned extends Error {
        Abandoned() {
            super("the run is over", null, false, false);
        }
    }

    enum State {
        /** Between two runs. */
        AWAY,
        /** Waits for its turn. */
        GATE,
        /** Has its turn, or did not finish it yet. */
        RUNNING,
        /** The script has ended. */
        ENDED
    }

    final int index;
    final String name;
    private final Conductor conductor;
    final Condition gate;

    // Guarded by the conductor's lock.
    State state = State.AWAY;

    @Nullable
    Op pending;

    @Nullable
    Link link;

    @Nullable
    Act current;

    boolean inDatabase;
    boolean heldInJvm;
    boolean granted;
    boolean turnGoesOn;
    long runningSince;
    final BitSet blockedBy = new BitSet();

    @Nullable
    Thread thread;

    /** Whether the thread runs code of the script; then it may be held by a lock of the JVM. */
    volatile boolean inCode;

    @Nullable
    Script script;

    // What the session did in this run.
    final List<Act> acts = new ArrayList<>();
    int transaction;
    int committed;
    int attempt = 1;
    int retries;
    private boolean again;
    Level usualLevel = Level.READ_COMMITTED;
    private Level level = Level.READ_COMMITTED;
    private boolean first = true;
    Footprint held = Footprint.NOTHING;

    @Nullable
    Throwable escaped;

    @Nullable
    Complaint complaint;

    boolean lost;

    @Nullable
    String returned;

    /**
     * An error that the rules do not allow.
     *
     * @param act the operation that failed; null if the code failed by itself
     */
    record Complaint(int actor, @Nullable Act act, String sqlState, String message) {}

    Actor(int index, String name, Conductor conductor) {
        this.index = index;
        this.name = name;
        this.conductor = conductor;
        this.gate = conductor.lock.newCondition();
    }

    /** Position of the session in its race. */
    public int index() {
        return index;
    }

    /** Waits for the session's turn, does the work and tells the conductor what became of it. */
    public <T extends @Nullable Object> T perform(Op op, Link on, Work<T> work) throws SQLException {
        return conductor.perform(this, op, on, false, work);
    }

    /** The same as part of the turn that is just ending: for what nobody else can notice. */
    public <T extends @Nullable Object> T performAtOnce(Op op, Link on, Work<T> work) throws SQLException {
        return conductor.perform(this, op, on, true, work);
    }

    /** The transaction that failed is being tried again. */
    public void retrying() {
        attempt++;
        retries++;
        again = true;
    }

    /** A transaction begins; unless it is one that is tried again, this is its first attempt. */
    public void beginning() {
        if (!again) {
            attempt = 1;
        }
        again = false;
    }

    /** How many tries the current transaction had. */
    public int attempt() {
        return attempt;
    }

    /** The session ended with an error that the rules allow. */
    public void lost() {
        lost = true;
    }

    /** The session met an error that the rules do not allow. */
    public void complain(String sqlState, String message) {
        complaint = new Complaint(index, acts.isEmpty() ? null : acts.get(acts.size() - 1), sqlState, message);
    }

    /** What the code of the session returned. */
    public void returned(String text) {
        returned = text;
    }

    /** Tells the session's isolation level outside any step: when a connection is handed out, after a session's setup. */
    public void usualLevel(Level usual) {
        usualLevel = usual;
        level = usual;
    }

    void clear() {
        acts.clear();
        transaction = 0;
        committed = 0;
        attempt = 1;
        retries = 0;
        again = false;
        held = Footprint.NOTHING;
        first = true;
        level = usualLevel;
        escaped = null;
        complaint = null;
        lost = false;
        returned = null;
        current = null;
        pending = null;
        blockedBy.clear();
        inDatabase = false;
        heldInJvm = false;
        granted = false;
        turnGoesOn = false;
    }

    boolean inTransaction() {
        return link != null && link.phase() != Link.Phase.IDLE;
    }

    /** The footprint of what waits at the gate, if it were to run now and nobody waited for it. */
    Footprint footprint(Catalog catalog) {
        Op op = pending;
        if (op == null) {
            return Footprint.NOTHING;
        }
        Access access = catalog.access(op.sql());
        String sql = op.sql();
        if (access.local()) {
            String next = op.following();
            if (next == null) {
                return Footprint.ANYTHING;
            }
            sql = sql + ";" + next;
            access = catalog.access(sql);
        }
        return footprint(access, sql);
    }

    Footprint footprint(Access access, String sql) {
        if (access.unknown()) {
            return Footprint.ANYTHING;
        }
        boolean open = inTransaction() || access.begins() || (link != null && !link.autocommits() && !access.ends());
        Level asked = Level.in(sql);
        Level now = asked != null ? asked : access.begins() || !open ? usualLevel : level;
        boolean fresh = !open || access.begins() || first;
        boolean ends = access.ends() || !open;
        BitSet writes = (BitSet) access.writes().clone();
        if (ends) {
            writes.or(held.writes());
        }
        boolean changes = !writes.isEmpty();
        boolean watched = now == Level.SERIALIZABLE;
        return new Footprint(
                false,
                access.reads(),
                writes,
                now != Level.READ_COMMITTED && fresh && !access.local(),
                ends && changes,
                watched && (changes || ends),
                watched);
    }

    /** Notes what an operation did to the session's transaction. */
    void note(Act act, Access access, Footprint footprint, Link.Phase before, Link.Phase after) {
        Level asked = Level.in(act.op.sql());
        String verb = Words.of(act.op.sql()).stream()
                .findFirst()
                .map(Words.Word::text)
                .orElse("");
        if (access.begins()) {
            level = asked != null ? asked : usualLevel;
        } else if (asked != null
                && verb.equals("set")
                && !act.op.sql().toLowerCase(Locale.ROOT).contains("session")
                && !act.op.sql().toLowerCase(Locale.ROOT).contains("default_")) {
            level = asked;
        } else if (asked != null) {
            usualLevel = asked;
            level = before == Link.Phase.IDLE ? asked : level;
        }
        act.level = level;
        if (after == Link.Phase.IDLE) {
            held = Footprint.NOTHING;
            first = true;
            level = usualLevel;
        } else {
            held = held.and(footprint);
            first = first && access.local();
        }
        act.transaction = transaction;
        if (after != Link.Phase.IDLE) {
            return;
        }
        if (act.failure() != null || before == Link.Phase.FAILED || rollsBack(act.op.sql())) {
            act.aborts = true;
        } else {
            act.commits = true;
            committed += act.op.position() < 0 ? 0 : 1;
            acts.stream().filter(a -> a.transaction == transaction).forEach(a -> a.committed = true);
        }
        transaction++;
    }

    private static boolean rollsBack(String sql) {
        List<List<Words.Word>> statements = Words.statements(sql);
        for (int i = statements.size() - 1; i >= 0; i--) {
            switch (statements.get(i).get(0).text()) {
                case "rollback", "abort" -> {
                    return true;
                }
                case "commit", "end" -> {
                    return false;
                }
                default -> {}
            }
        }
        return false;
    }
}
