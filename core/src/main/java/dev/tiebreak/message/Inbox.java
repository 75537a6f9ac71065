package dev.tiebreak.message;

import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Codec;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Tx;
import dev.tiebreak.internal.Doom;
import dev.tiebreak.internal.LockWait;
import dev.tiebreak.internal.Race;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Deliveries that come at least once, each of which has its effect once.
 *
 * <p>The race: a payment provider sends the same event twice, and two servers look, do not find it, and both pay. Here the
 * receipt is put in first, under a unique key, and commits together with the effect. <b>The loser waits</b> for the first
 * delivery's transaction, and is then told its result: the sender gets the same answer again. An effect that fails leaves no
 * receipt, so the next delivery does it.
 *
 * <pre>{@code
 * final Inbox<String> payments = Inbox.of("payments", Codec.text());
 *
 * switch (tx.call(c -> payments.once(c, Delivery.of(eventId, body), d -> book(d, event)))) {
 *     case Once.Applied<String> first -> ok(first.result());
 *     case Once.Duplicate<String> again -> ok(again.result());      // what the first one was told
 *     case Once.Mismatch<String> other -> unprocessable422();
 *     case Once.Busy<String> busy -> unavailable503();
 * }
 * }</pre>
 *
 * <p><b>Price.</b> {@link #once}: one statement before the effect, and one after it that keeps its result, unless that is
 * empty, as {@link Done} is; {@link #onceSql}: one statement for receipt, result and effect; {@link #onceAll}: the same numbers
 * for a whole batch. A duplicate: one statement, two if it came while the first was being done. One row a delivery, with
 * two index entries, until {@link #purge} deletes it.
 *
 * <p><b>When not.</b> For an effect that is slow or not in this database: a transaction that is open while a web service answers
 * holds its locks, and makes duplicates wait as long; {@link Intake} is for those. For two <em>different</em> events about one
 * thing: they have two ids, and both are applied; what settles them is a claim or a version of the thing.
 *
 * <p>It keeps the table {@code tiebreak.inbox}, which {@code Schema} installs. It joins the caller's transaction; what needs more
 * than one statement refuses autocommit, where the receipt would be committed before the effect. <b>After a failed effect the
 * transaction can only roll back</b>, even if the exception is swallowed; who wants to go on sets a savepoint before the call. Under
 * REPEATABLE READ and SERIALIZABLE a duplicate of what was committed since the snapshot gets 40001. Two transactions that take the
 * same two ids in opposite order meet in a deadlock (40P01); batches sort theirs. Immutable and thread-safe; holds no
 * connection; every word returns a changed copy.
 *
 * @param <R> what an effect results in, and what duplicates are told
 */
public final class Inbox<R> {
    static final int LONGEST_NAME = 200;
    private static final int ATTEMPTS = 10;
    private static final int LARGEST_BATCH = 10_000;
    static final Codec<Done> NOTHING = new Codec<>() {
        @Override
        public byte[] encode(Done value) {
            return Delivery.NONE;
        }

        @Override
        public Done decode(byte[] bytes) {
            return Done.DONE;
        }
    };

    private final InboxRows rows;
    private final Codec<R> codec;
    private final LockWait wait;
    private final Race race;

    private Inbox(InboxRows rows, Codec<R> codec, LockWait wait, Race race) {
        this.rows = rows;
        this.codec = codec;
        this.wait = wait;
        this.race = race;
    }

    /** The inbox of this name, for effects that have no result. */
    public static Inbox<Done> of(String name) {
        return of(name, NOTHING);
    }

    /**
     * The inbox of this name, which keeps ids of one sender apart from the same ids of another: 1 to 200 bytes in UTF-8.
     *
     * @param results how results are kept; one that becomes no bytes at all costs nothing to keep
     */
    public static <R> Inbox<R> of(String name, Codec<R> results) {
        String checked = Names.checked("the name of an inbox", name, LONGEST_NAME);
        return new Inbox<>(new InboxRows("tiebreak", checked), results, LockWait.asSet(), Race.of(name));
    }

    /** The library's tables are in a schema of this name instead of {@code tiebreak}. */
    public Inbox<R> in(String schema) {
        return new Inbox<>(new InboxRows(schema, rows.inbox()), codec, wait, race);
    }

    /**
     * Waits at most this long, at least 1 ms, for a transaction that is doing the same delivery, then is {@link Once.Busy};
     * without it the connection's {@code lock_timeout} holds, and that is an error (55P03). Costs a savepoint, released again, in
     * the same round trip: not for more than some dozens of calls in one transaction.
     */
    public Inbox<R> waiting(Duration atMost) {
        return new Inbox<>(rows, codec, LockWait.atMost(atMost), race);
    }

    /** The race's name in events; the inbox's name until then. */
    public Inbox<R> named(String name) {
        return new Inbox<>(rows, codec, wait, race.named(name));
    }

    /** Every settled delivery is told to the listener; one whose call throws is not. */
    public Inbox<R> listening(RaceListener listener) {
        return new Inbox<>(rows, codec, wait, race.listening(listener));
    }

    /** As {@link #once(Connection, Delivery, Tx.Body)} for a delivery of which only the id is looked at. */
    public <X extends Exception> Once<R> once(Connection connection, String id, Tx.Body<? extends R, X> effect)
            throws SQLException, X {
        return once(connection, Delivery.of(id), effect);
    }

    /**
     * Has the effect, if this is the first delivery of its id.
     *
     * @param effect gets the same connection; what it throws comes out, and the transaction can only roll back then
     * @throws IllegalStateException in autocommit
     */
    public <X extends Exception> Once<R> once(Connection connection, Delivery delivery, Tx.Body<? extends R, X> effect)
            throws SQLException, X {
        requireTransaction(connection);
        byte[] fingerprint = delivery.fingerprint();
        Race.Round round = race.begin("unique key");
        Receipt there = settle(
                connection, round, delivery.id(), () -> rows.put(connection, round, wait, delivery, fingerprint));
        if (there == null || !there.is(Receipt.FRESH)) {
            return round.settled(loser(round, delivery.id(), fingerprint, there, codec));
        }
        try {
            R result = Objects.requireNonNull(effect.run(connection), "the effect's result");
            byte[] kept = codec.encode(result);
            if (kept.length > 0) {
                rows.keep(connection, delivery.id(), kept);
            }
            return round.settled(new Once.Applied<>(result));
        } catch (Throwable e) {
            Doom.transaction(connection, e);
            throw e;
        }
    }

    /**
     * Has an effect that is one statement of SQL, in the same statement as the receipt: one round trip, in autocommit one commit.
     *
     * <p>{@code {new}} stands for the table of the deliveries that are new, here one or none, with the columns {@code id text} and
     * {@code body bytea}:
     *
     * <pre>{@code
     * payments.onceSql(c, Delivery.of(eventId), DONE,
     *     "UPDATE account SET cents = cents + ? FROM {new} WHERE account.id = ?", 500, 7);
     * }</pre>
     *
     * @param result kept for duplicates, and known beforehand
     * @param sql yours, never a user's input: an INSERT, UPDATE or DELETE without RETURNING that takes its rows from {@code {new}},
     *     with a {@code ?} a value
     * @throws SQLException what the database says: 02000 if the effect changed no row, which leaves no receipt
     */
    public Once<R> onceSql(Connection connection, Delivery delivery, R result, String sql, @Nullable Object... values)
            throws SQLException {
        Effect effect = Effect.of(sql, values);
        byte[] kept = codec.encode(result);
        byte[] fingerprint = delivery.fingerprint();
        Race.Round round = race.begin("unique key");
        Receipt there = settle(
                connection,
                round,
                delivery.id(),
                () -> rows.put(connection, round, wait, delivery, fingerprint, kept, effect));
        return round.settled(
                there != null && there.is(Receipt.FRESH)
                        ? new Once.Applied<>(result)
                        : loser(round, delivery.id(), fingerprint, there, codec));
    }

    /**
     * Has the effects of those deliveries of a batch that are the first of their ids: three statements, whatever their number. All
     * or nothing: if the effect throws, none of them leaves a receipt; do them one by one then, and only the offender fails.
     *
     * @param deliveries at most 10,000; of two with the same id the second is a duplicate
     * @param effect gets the new ones in the order of the batch; it is not called if there are none
     * @return what became of each, in the order of the batch; if one of them is being done elsewhere for longer than {@link
     *     #waiting} allows, all are {@link Once.Busy}
     * @throws IllegalStateException in autocommit, or if the effect has not as many results as it was given deliveries
     */
    public <X extends Exception> List<Once<R>> onceAll(
            Connection connection, List<Delivery> deliveries, Effects<? extends R, X> effect) throws SQLException, X {
        requireTransaction(connection);
        requireFew(deliveries);
        Batch<R> batch = new Batch<>(deliveries);
        Race.Round round = race.begin("unique key");
        if (!batch.put(connection, rows, round, wait, Map.of(), null)) {
            return settled(round, batch.busy(round));
        }
        List<Delivery> fresh = batch.fresh();
        if (!fresh.isEmpty()) {
            try {
                Map<String, byte[]> kept = new HashMap<>();
                List<? extends R> results = effect.run(connection, fresh);
                if (results.size() != fresh.size()) {
                    throw new IllegalStateException("the effect of " + race.name() + " was given " + fresh.size()
                            + " deliveries and has " + results.size() + " results");
                }
                for (int i = 0; i < fresh.size(); i++) {
                    byte[] bytes = codec.encode(results.get(i));
                    if (bytes.length > 0) {
                        kept.put(fresh.get(i).id(), bytes);
                    }
                    batch.result(fresh.get(i), results.get(i));
                }
                if (!kept.isEmpty()) {
                    rows.keepAll(connection, kept);
                }
            } catch (Throwable e) {
                Doom.transaction(connection, e);
                throw e;
            }
        }
        return settled(round, batch.outcomes(connection, rows, codec, round));
    }

    /**
     * As {@link #onceSql} for a batch: one statement, and one more if there are duplicates. The effect sees all new deliveries at
     * once in {@code {new}}. An UPDATE changes a row once, however many of them ask for it: add them up first, such as
     * {@code FROM (SELECT … , sum(…) FROM {new} GROUP BY …)}.
     *
     * @param deliveries at most 10,000; of two with the same id the second is a duplicate
     * @param result of each, kept for duplicates, and known beforehand
     * @throws SQLException what the database says: 02000 if there were new deliveries and the effect changed no row at all
     */
    public List<Once<R>> onceAllSql(
            Connection connection,
            List<Delivery> deliveries,
            Function<? super Delivery, ? extends R> result,
            String sql,
            @Nullable Object... values)
            throws SQLException {
        Effect effect = Effect.of(sql, values);
        requireFew(deliveries);
        Batch<R> batch = new Batch<>(deliveries);
        Map<String, byte[]> kept = new HashMap<>();
        for (Delivery delivery : batch.distinct()) {
            R answer = result.apply(delivery);
            kept.put(delivery.id(), codec.encode(answer));
            batch.result(delivery, answer);
        }
        Race.Round round = race.begin("unique key");
        if (!batch.put(connection, rows, round, wait, kept, effect)) {
            return settled(round, batch.busy(round));
        }
        return settled(round, batch.outcomes(connection, rows, codec, round));
    }

    /**
     * Deletes receipts that are older than this; returns how many. After that a delivery of their ids is new again: keep them for
     * longer than the sender repeats itself, which is days. One statement; call it until it finds fewer than that. Any number of
     * servers may do it, and it works in autocommit, too.
     *
     * @param age 0 or more, by the database's clock
     * @param atMost how many, at least 1; some hundreds, so that the transaction is short
     */
    public int purge(Connection connection, Duration age, int atMost) throws SQLException {
        if (age.isNegative()) {
            throw new IllegalArgumentException("receipts are kept for 0 or more, not " + age);
        }
        if (atMost < 1) {
            throw new IllegalArgumentException("a purge deletes at least 1 receipt, not " + atMost);
        }
        return rows.purge(connection, age, atMost);
    }

    private interface Put {
        @Nullable
        Receipt run() throws SQLException;
    }

    /** Puts it in, or reads what is there; null if the wait or the attempts are over. */
    private @Nullable Receipt settle(Connection connection, Race.Round round, String id, Put put) throws SQLException {
        do {
            Receipt there = put.run();
            if (there == null) {
                return null;
            }
            if (there.is(Receipt.GONE)) {
                there = rows.read(connection, id);
            }
            if (!there.is(Receipt.GONE)) {
                return there;
            }
        } while (round.again(ATTEMPTS));
        return null;
    }

    /** What became of one that is not the first; null stands for what cannot be waited for any longer. */
    static <R> Once<R> loser(Race.Round round, String id, byte[] fingerprint, @Nullable Receipt there, Codec<R> codec) {
        if (there != null && there.contradicts(fingerprint)) {
            return new Once.Mismatch<>(id);
        }
        return there != null && there.is(Receipt.DONE)
                ? new Once.Duplicate<>(codec.decode(there.result()))
                : new Once.Busy<>(round.attempts(), round.waited());
    }

    private List<Once<R>> settled(Race.Round round, List<Once<R>> outcomes) {
        return outcomes.stream().map(round::settled).toList();
    }

    private static void requireFew(List<Delivery> deliveries) {
        if (deliveries.size() > LARGEST_BATCH) {
            throw new IllegalArgumentException(
                    "a batch has at most " + LARGEST_BATCH + " deliveries, not " + deliveries.size());
        }
    }

    private void requireTransaction(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(race.name()
                    + " needs a transaction: in autocommit the receipt would be committed before the effect");
        }
    }

    /** Such as {@code payments (in tiebreak.inbox)}. */
    @Override
    public String toString() {
        return race.name() + " (in " + rows.table() + ")";
    }

    /** The effects of several deliveries. */
    @FunctionalInterface
    public interface Effects<R, X extends Exception> {
        /** Has them, and returns a result each, in their order. */
        List<R> run(Connection c, List<Delivery> fresh) throws SQLException, X;
    }

    /** What became of a delivery. */
    public sealed interface Once<R> {
        /** The result, of this delivery or of the first one; else {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        R orRollback();

        /** The first one: its effect is there once the transaction has committed. */
        record Applied<R>(R result) implements Once<R> {
            @Override
            public R orRollback() {
                return result;
            }
        }

        /** The effect was there before; this is what it resulted in. */
        record Duplicate<R>(R result) implements Once<R> {
            @Override
            public R orRollback() {
                return result;
            }
        }

        /** The id was there before with another body: the sender has used it twice, or somebody forges. Nothing was done. */
        record Mismatch<R>(String id) implements Once<R> {
            @Override
            public R orRollback() {
                throw new Lost(this);
            }
        }

        /** The first one is still being done: nothing was done for this one, try later. */
        record Busy<R>(int attempts, Duration waited) implements Once<R> {
            @Override
            public R orRollback() {
                throw new Lost(this);
            }
        }
    }
}
