package dev.tiebreak.message;

import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Codec;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.internal.LockWait;
import dev.tiebreak.internal.Race;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

/**
 * Deliveries that are accepted at once and worked on later: for effects that are slow, or not in this database.
 *
 * <p>The race: a sender that gets no answer within seconds sends again, and a server that calls a payment service inside of its
 * transaction keeps both waiting, or does it twice. Here the handler only {@linkplain #accept accepts}, and answers; a worker
 * {@linkplain #claim claims} a delivery for the length of a lease, works on it in no transaction at all, and {@linkplain #finish
 * finishes} it together with what it writes. A worker that dies loses its delivery when the lease is over. <b>The loser</b>, a
 * worker that was paused past its lease, is told {@link Finish.Stale}, and nothing of what it did is written.
 *
 * <pre>{@code
 * final Intake<String> payments = Intake.of("payments", Codec.text()).lasting(Duration.ofSeconds(30));
 *
 * int answer = switch (tx.call(c -> payments.accept(c, Delivery.of(eventId, body)))) {      // the handler
 *     case Accept.Accepted<String> first -> 202;
 *     case Accept.Pending<String> again -> 202;
 *     case Accept.Duplicate<String> done -> 200;
 *     case Accept.Mismatch<String> other -> 422;
 *     case Accept.Busy<String> busy -> 503;
 * };
 * if (tx.call(c -> payments.claim(c)) instanceof Claim.Claimed<String> claimed) {           // a worker
 *     Task task = claimed.task();
 *     String charge = bank.charge(task.delivery().id(), task.token());                      // slow, outside
 *     tx.run(c -> { payments.finish(c, task, charge).orRollback(); orders.paid(c, charge); });
 * }
 * }</pre>
 *
 * <p><b>At least once.</b> What the work does outside of this database may be done again, by the next worker after a lease was
 * over: send the delivery's id along as an idempotency key, and the {@linkplain Task#token() token} to what can refuse a lower one
 * than it has seen. What the work writes in this database, in the transaction that finishes, is there exactly once.
 *
 * <p><b>Price.</b> {@code accept}, {@code claim} and {@code finish}: one statement each, and a commit each; the loser of one pays
 * a read more. Workers skip each other's deliveries and never wait. The body is stored until the work is finished.
 *
 * <p><b>When not.</b> For effects that are a few statements in this database: {@link Inbox} does them at once, in one transaction.
 *
 * <p>It shares the table {@code tiebreak.inbox} with {@link Inbox}, whose {@code purge} deletes finished deliveries of the same
 * name. Only the database's clock counts. It joins the caller's transaction, or commits by itself in autocommit. Under REPEATABLE
 * READ and SERIALIZABLE losers get 40001. Immutable and thread-safe; holds no connection; every word returns a changed copy.
 *
 * @param <R> what the work results in, and what duplicates are told once it is finished
 */
public final class Intake<R> {
    private static final int ATTEMPTS = 10;

    private final IntakeRows rows;
    private final Codec<R> codec;
    private final Duration time;
    private final LockWait wait;
    private final Race race;

    private Intake(IntakeRows rows, Codec<R> codec, Duration time, LockWait wait, Race race) {
        this.rows = rows;
        this.codec = codec;
        this.time = time;
        this.wait = wait;
        this.race = race;
    }

    /** The intake of this name, for work that has no result. */
    public static Intake<Done> of(String name) {
        return of(name, Inbox.NOTHING);
    }

    /**
     * The intake of this name, which keeps ids of one sender apart from the same ids of another: 1 to 200 bytes in UTF-8.
     *
     * @param results how results are kept
     */
    public static <R> Intake<R> of(String name, Codec<R> results) {
        String checked = Names.checked("the name of an intake", name, Inbox.LONGEST_NAME);
        return new Intake<>(
                new IntakeRows("tiebreak", checked), results, Duration.ofSeconds(30), LockWait.asSet(), Race.of(name));
    }

    /** The library's tables are in a schema of this name instead of {@code tiebreak}. */
    public Intake<R> in(String schema) {
        return new Intake<>(new IntakeRows(schema, rows.inbox()), codec, time, wait, race);
    }

    /**
     * How long a worker that is never heard of again keeps its delivery from the others; 30 s by default, at least 1 ms. Longer
     * than the work; longer work {@linkplain #renew renews}.
     */
    public Intake<R> lasting(Duration most) {
        requireTime(most, 1);
        return new Intake<>(rows, codec, most, wait, race);
    }

    /**
     * {@link #accept} waits at most this long, at least 1 ms, for a transaction that is accepting the same delivery, then is
     * {@link Accept.Busy}; without it the connection's {@code lock_timeout} holds, and that is an error (55P03).
     */
    public Intake<R> waiting(Duration atMost) {
        return new Intake<>(rows, codec, time, LockWait.atMost(atMost), race);
    }

    /** The race's name in events; the intake's name until then. */
    public Intake<R> named(String name) {
        return new Intake<>(rows, codec, time, wait, race.named(name));
    }

    /** Every settled call is told to the listener; a call that throws is not. */
    public Intake<R> listening(RaceListener listener) {
        return new Intake<>(rows, codec, time, wait, race.listening(listener));
    }

    /** Keeps the delivery for a worker, if it is the first of its id. */
    public Accept<R> accept(Connection connection, Delivery delivery) throws SQLException {
        byte[] fingerprint = delivery.fingerprint();
        Race.Round round = race.begin("unique key");
        do {
            Receipt there = rows.accept(connection, round, wait, delivery, fingerprint);
            if (there == null) {
                break;
            }
            if (there.is(Receipt.GONE)) {
                there = rows.read(connection, delivery.id());
            }
            if (there.is(Receipt.FRESH)) {
                return round.settled(new Accept.Accepted<>(delivery.id()));
            }
            if (!there.is(Receipt.GONE)) {
                return round.settled(again(delivery, fingerprint, there));
            }
        } while (round.again(ATTEMPTS));
        return round.settled(new Accept.Busy<>(round.attempts(), round.waited()));
    }

    private Accept<R> again(Delivery delivery, byte[] fingerprint, Receipt there) {
        if (there.contradicts(fingerprint)) {
            return new Accept.Mismatch<>(delivery.id());
        }
        return there.is(Receipt.DONE)
                ? new Accept.Duplicate<>(codec.decode(there.result()))
                : new Accept.Pending<>(delivery.id());
    }

    /**
     * Takes the delivery that has been waiting longest, or whose worker's lease is over; commit at once, so that it is yours before
     * the work begins.
     */
    public Claim<R> claim(Connection connection) throws SQLException {
        Race.Round round = race.begin("lease");
        Task task = rows.claim(connection, time);
        return round.settled(task == null ? new Claim.NoneFree<>() : new Claim.Claimed<>(task));
    }

    /** Makes the lease last its full time from now on, if nobody else has claimed the delivery since. */
    public Renew renew(Connection connection, Task task) throws SQLException {
        Race.Round round = race.begin("lease");
        Instant until = rows.move(connection, task, "working", time);
        return round.settled(
                until == null ? new Renew.Stale(rows.now(connection, task).token) : new Renew.Renewed(until));
    }

    /**
     * Finishes the delivery, if nobody else has claimed it since, and keeps its result for duplicates. Until the transaction has
     * ended nobody can claim it, so what that writes is the work of one.
     */
    public Finish<R> finish(Connection connection, Task task, R result) throws SQLException {
        Race.Round round = race.begin("lease");
        if (rows.finish(connection, task, codec.encode(result))) {
            return round.settled(new Finish.Finished<>(result));
        }
        IntakeRows.Now now = rows.now(connection, task);
        byte[] kept = now.result;
        return round.settled(
                kept != null && now.token == task.token()
                        ? new Finish.Duplicate<>(codec.decode(kept))
                        : new Finish.Stale<>(now.token));
    }

    /**
     * Lets the delivery go, unfinished, for the next claim after this time; if nobody else has claimed it since.
     *
     * @param pause 0 or more; longer each time, such as {@code 2^token} seconds
     */
    public GiveBack giveBack(Connection connection, Task task, Duration pause) throws SQLException {
        requireTime(pause, 0);
        Race.Round round = race.begin("lease");
        Instant until = rows.move(connection, task, "received", pause);
        return round.settled(
                until == null ? new GiveBack.Stale(rows.now(connection, task).token) : new GiveBack.GivenBack(until));
    }

    private static void requireTime(Duration time, long least) {
        if (time.isNegative() || time.toMillis() < least) {
            throw new IllegalArgumentException("a time of at least " + least + " ms is needed, not " + time);
        }
    }

    /** Such as {@code payments (in tiebreak.inbox, for PT30S)}. */
    @Override
    public String toString() {
        return race.name() + " (in " + rows.table() + ", for " + time + ")";
    }

    /**
     * A delivery that a worker has claimed.
     *
     * @param delivery as it was accepted
     * @param token the fencing token, higher than that of every claim of this delivery before; so also how often it was claimed:
     *     finish one that fails each time with a result that says so
     * @param until when the lease is over, by the database's clock
     */
    public record Task(Delivery delivery, long token, Instant until) {}

    /** What became of an {@link Intake#accept}. */
    public sealed interface Accept<R> {
        /** This record, if the delivery is in safe hands; else {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        default Accept<R> orRollback() {
            return this;
        }

        /** The first one: a worker will have it once the transaction has committed. */
        record Accepted<R>(String id) implements Accept<R> {}

        /** It was accepted before, and is not finished. */
        record Pending<R>(String id) implements Accept<R> {}

        /** It is finished, and this is what it resulted in. */
        record Duplicate<R>(R result) implements Accept<R> {}

        /** The id was there before with another body: the sender has used it twice, or somebody forges. */
        record Mismatch<R>(String id) implements Accept<R> {
            @Override
            public Accept<R> orRollback() {
                throw new Lost(this);
            }
        }

        /** Another transaction is accepting it, and may yet roll back: try later. */
        record Busy<R>(int attempts, Duration waited) implements Accept<R> {
            @Override
            public Accept<R> orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of an {@link Intake#claim}. */
    public sealed interface Claim<R> {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Claimed<R> orRollback();

        /** It is yours until then, once the transaction has committed. */
        record Claimed<R>(Task task) implements Claim<R> {
            @Override
            public Claimed<R> orRollback() {
                return this;
            }
        }

        /** Nothing waits that nobody else is working on. */
        record NoneFree<R>() implements Claim<R> {
            @Override
            public Claimed<R> orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of an {@link Intake#renew}. */
    public sealed interface Renew {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Renewed orRollback();

        /** It is yours until then. */
        record Renewed(Instant until) implements Renew {
            @Override
            public Renewed orRollback() {
                return this;
            }
        }

        /** Somebody else has claimed it, or it is not to be worked on any more: {@code now} is the last token, 0 if it is gone. */
        record Stale(long now) implements Renew {
            @Override
            public Renewed orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of an {@link Intake#finish}. */
    public sealed interface Finish<R> {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Finished<R> orRollback();

        /** It is done once the transaction has committed. */
        record Finished<R>(R result) implements Finish<R> {
            @Override
            public Finished<R> orRollback() {
                return this;
            }
        }

        /** This very claim has finished it before: after a COMMIT whose answer was lost, a yes. */
        record Duplicate<R>(R result) implements Finish<R> {
            @Override
            public Finished<R> orRollback() {
                throw new Lost(this);
            }
        }

        /** Somebody else has claimed it since: {@code now} is the last token, 0 if it is gone. Nothing may be written. */
        record Stale<R>(long now) implements Finish<R> {
            @Override
            public Finished<R> orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of an {@link Intake#giveBack}. */
    public sealed interface GiveBack {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        GivenBack orRollback();

        /** It may be claimed again from then on, once the transaction has committed. */
        record GivenBack(Instant from) implements GiveBack {
            @Override
            public GivenBack orRollback() {
                return this;
            }
        }

        /** Somebody else has claimed it since: {@code now} is the last token, 0 if it is gone. */
        record Stale(long now) implements GiveBack {
            @Override
            public GivenBack orRollback() {
                throw new Lost(this);
            }
        }
    }
}
