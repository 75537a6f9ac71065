package dev.tiebreak.stock;

import dev.tiebreak.Key;
import dev.tiebreak.stock.BatchingWriter.Closed;
import dev.tiebreak.stock.BatchingWriter.Options;
import dev.tiebreak.stock.BatchingWriter.Unknown;
import dev.tiebreak.stock.Stock.Take;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One thread with one connection: takes all that waits, settles it, answers, and again. */
final class Writer implements Runnable {
    private static final System.Logger LOG = System.getLogger(BatchingWriter.class.getName());
    private static final int ATTEMPTS = 4;
    private static final long PAUSE = Duration.ofMillis(1).toNanos();

    private enum How {
        AT_ONCE,
        SKIP_LOCKED,
        IN_TURN
    }

    private final Waiters waiters;
    private final Ledger ledger;
    private final @Nullable CheckConstraint soldOut;
    private final String name;
    private final Thread thread;

    /** When what is still queued is refused; far away until the writer is closed. */
    private volatile long end;

    private volatile boolean closing;
    private volatile boolean ended;
    private long batches;
    private long finished;
    private long refused;
    private long unknown;

    private Writer(DataSource dataSource, Stock stock, Options options, String name) {
        this.waiters = new Waiters(options.queue());
        this.ledger = new Ledger(dataSource, stock.count(), options);
        this.soldOut = stock.strategy() instanceof CheckConstraint constraint ? constraint : null;
        this.name = name;
        this.thread = Thread.ofPlatform().name("tiebreak-" + name).daemon().unstarted(this);
    }

    static Writer start(DataSource dataSource, Stock stock, Options options, String name) {
        Writer writer = new Writer(dataSource, stock, options, name);
        writer.waiters.servedBy(writer.thread);
        writer.thread.start();
        return writer;
    }

    Waiters waiters() {
        return waiters;
    }

    void finishBy(long nanoTime) {
        if (!closing) {
            end = nanoTime;
            closing = true;
        }
        LockSupport.unpark(thread);
    }

    /** Waits for the thread; past the limit what is in flight is cancelled, and then cut off. */
    Closed awaitEnd() {
        boolean interrupted = !join(end - System.nanoTime());
        if (thread.isAlive()) {
            ledger.cancel();
            interrupted |= !join(TimeUnit.SECONDS.toNanos(1));
        }
        while (thread.isAlive()) {
            ledger.abort();
            interrupted |= !join(TimeUnit.MILLISECONDS.toNanos(100));
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return new Closed(finished, refused, unknown);
    }

    /** False if interrupted, which cuts the waiting short. */
    private boolean join(long nanos) {
        try {
            thread.join(Duration.ofNanos(Math.max(0, nanos)));
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Somebody may have joined the queue just after its writer had looked for the last time. */
    void refuseIfEnded() {
        if (ended) {
            List<Request> late = started(waiters.takeAll());
            late.forEach(r -> r.answer(r.busy(0)));
            tell(late);
        }
    }

    @Override
    public void run() {
        while (true) {
            boolean last = closing;
            Request first = waiters.takeAll();
            if (first != null) {
                settle(started(first));
            } else if (last) {
                break;
            } else {
                LockSupport.park(this);
            }
        }
        ended = true;
        refuseIfEnded();
        ledger.giveBack();
    }

    /** Those whose callers still wait; the ones that are late are told so. */
    private List<Request> started(@Nullable Request first) {
        List<Request> batch = new ArrayList<>(first == null ? 0 : 16);
        for (Request request = first; request != null; ) {
            Request next = request.next;
            request.next = null;
            if (request.start()) {
                batch.add(request);
            }
            request = next;
        }
        return batch;
    }

    private void settle(List<Request> batch) {
        batches++;
        try {
            settle(batch, How.AT_ONCE, new HashMap<>());
        } catch (RuntimeException | Error e) {
            // A fault of ours must not leave callers waiting for ever.
            fail(batch, new SQLException("the batching writer " + name + " failed: " + e, e));
        }
        if (closing) {
            batch.forEach(this::countIn);
        }
        tell(batch);
    }

    /**
     * @param refusals what the constraint that means sold out has refused in this batch: it would refuse as many again
     */
    private void settle(List<Request> batch, How first, Map<Key, Refusal> refusals) {
        List<Request> due = due(batch, refusals);
        if (due.isEmpty() || !connected(due)) {
            return;
        }
        List<Group> groups = Group.of(due);
        How how = first;
        for (int attempts = 1; ; attempts++) {
            try {
                if (how == How.IN_TURN) {
                    ledger.settleInTurn(groups);
                } else {
                    ledger.settle(groups, how == How.SKIP_LOCKED, attempts);
                }
                break;
            } catch (SQLException e) {
                Trouble trouble = ledger.lost() ? Trouble.LOST : Trouble.of(e);
                if (trouble == Trouble.AGAIN && attempts < ATTEMPTS) {
                    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(PAUSE << attempts));
                } else if (trouble == Trouble.LOCKED && how == How.AT_ONCE) {
                    how = How.SKIP_LOCKED;
                } else {
                    giveUp(due, first, trouble, attempts, e, refusals);
                    return;
                }
            }
        }
        settle(open(groups, true), How.IN_TURN, refusals);
        settle(open(groups, false), How.AT_ONCE, refusals);
    }

    private static List<Request> open(List<Group> groups, boolean undecided) {
        List<Request> open = new ArrayList<>();
        for (Group group : groups) {
            if (!group.answered() && group.undecided() == undecided) {
                open.addAll(group.requests);
            }
        }
        return open;
    }

    private void giveUp(
            List<Request> due, How how, Trouble trouble, int attempts, SQLException e, Map<Key, Refusal> refusals) {
        switch (trouble) {
            case LOST -> {
                Unknown unknown = new Unknown(name + "-" + batches);
                LOG.log(
                        Level.WARNING,
                        "the connection died while batch " + unknown.id() + " was in flight: its " + due.size()
                                + " requests are in doubt",
                        e);
                ledger.discard();
                due.forEach(r -> r.answer(unknown));
            }
            case AGAIN, LOCKED, CANCELLED -> due.forEach(r -> r.answer(r.busy(attempts)));
            case REFUSED -> fail(due, e);
            case OFFENDER -> {
                if (due.size() > 1) {
                    settle(due.subList(0, due.size() / 2), how, refusals);
                    settle(due.subList(due.size() / 2, due.size()), how, refusals);
                } else {
                    refuse(due.getFirst(), e, refusals);
                }
            }
        }
    }

    private void refuse(Request offender, SQLException e, Map<Key, Refusal> refusals) {
        if (soldOut == null || !soldOut.meansSoldOut(e)) {
            offender.fail(e);
            return;
        }
        try {
            long left = ledger.left(offender.key);
            refusals.put(offender.key, new Refusal(offender.n, left));
            offender.answer(new Take.SoldOut(left));
        } catch (SQLException again) {
            offender.fail(again);
        }
    }

    /** Those that are still worth a statement; the others are answered. */
    private List<Request> due(List<Request> batch, Map<Key, Refusal> refusals) {
        long now = System.nanoTime();
        boolean over = closing && end - now <= 0;
        List<Request> due = new ArrayList<>(batch.size());
        for (Request request : batch) {
            Refusal refusal = refusals.isEmpty() ? null : refusals.get(request.key);
            if (over || request.expired(now)) {
                request.answer(request.busy(0));
            } else if (refusal != null && request.n >= refusal.units()) {
                request.answer(new Take.SoldOut(refusal.left()));
            } else {
                due.add(request);
            }
        }
        return due;
    }

    private boolean connected(List<Request> due) {
        try {
            ledger.connect();
            return true;
        } catch (SQLException e) {
            LOG.log(Level.WARNING, "the batching writer " + name + " has no connection", e);
            if (e instanceof SQLTransientConnectionException || Trouble.of(e) == Trouble.LOST) {
                due.forEach(r -> r.answer(r.busy(0)));
            } else {
                fail(due, e);
            }
            return false;
        }
    }

    private static void fail(List<Request> requests, SQLException e) {
        requests.stream().filter(r -> r.outcome() == null).forEach(r -> r.fail(e));
    }

    private void countIn(Request request) {
        if (request.outcome() instanceof Take.Busy) {
            refused++;
        } else if (request.outcome() instanceof Unknown) {
            unknown++;
        } else {
            finished++;
        }
    }

    /** What is chained to the futures may block, so it gets a thread of its own. */
    private static void tell(List<Request> batch) {
        List<Request> async = batch.stream().filter(Request::isAsync).toList();
        if (!async.isEmpty()) {
            Thread.ofVirtual().start(() -> async.forEach(Request::tellFuture));
        }
    }

    private record Refusal(long units, long left) {}

    /** What an error means for the requests that ran into it. */
    private enum Trouble {
        /** The connection is gone: perhaps done. */
        LOST,
        /** Lost a race as a whole, or a statement that a migration has made stale: run it again. */
        AGAIN,
        /** Somebody keeps a row locked. */
        LOCKED,
        /** Ended by a timeout or by closing: nothing was done. */
        CANCELLED,
        /** One of them broke a rule of the table: a constraint, a trigger, a type. */
        OFFENDER,
        /** None of them can be served: no such table, no rights, no disk. */
        REFUSED;

        static Trouble of(SQLException e) {
            String state = e.getSQLState() == null ? "" : e.getSQLState();
            return switch (state) {
                case "40001", "40P01", "0A000", "26000" -> AGAIN;
                case "55P03" -> LOCKED;
                case "57014" -> CANCELLED;
                case "53300" -> LOST;
                default ->
                    switch (state.isEmpty() ? "" : state.substring(0, 2)) {
                        case "08", "57" -> LOST;
                        case "21", "22", "23", "27", "44", "P0" -> OFFENDER;
                        default -> REFUSED;
                    };
            };
        }
    }
}
