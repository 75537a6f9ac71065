package dev.tiebreak.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tiebreak.Codec;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Retry;
import dev.tiebreak.Tx;
import dev.tiebreak.TxException;
import dev.tiebreak.message.Inbox.Once;
import dev.tiebreak.schema.Schema;
import dev.tiebreak.testing.Between;
import dev.tiebreak.testing.Db;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.AutoSave;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class InboxTest {
    private static final Delivery FIVE = Delivery.of("evt_1", "{\"cents\": 5}");

    private final Db db;
    private final Tx tx;
    private final Inbox<String> payments = Inbox.of("payments", Codec.text());

    InboxTest(int major) {
        this.db = Db.on(major);
        this.tx = Tx.on(db.source());
    }

    private Object outcome(Tx.Body<?, RuntimeException> body) {
        return tx.call(body);
    }

    @BeforeEach
    void tables() throws SQLException {
        List<String> unused = Schema.standard().install(db.source());
        db.run("CREATE TABLE payment (event text, cents bigint)");
    }

    /** The effect: a payment of 5, whose number is the result. */
    private static String pay(Connection c, String event) throws SQLException {
        Db.run(c, "INSERT INTO payment VALUES ('" + event + "', 5)");
        return "payment " + Db.number(c, "SELECT count(*) FROM payment");
    }

    private Once<String> pay(Delivery delivery) {
        return tx.call(c -> payments.once(c, delivery, d -> pay(d, delivery.id())));
    }

    private long paid() throws SQLException {
        return db.number("SELECT count(*) FROM payment");
    }

    private long receipts() throws SQLException {
        return db.number("SELECT count(*) FROM tiebreak.inbox");
    }

    @Test
    void once_firstThenAgain_appliedOnceAndToldTheFirstResult() throws SQLException {
        assertThat(pay(FIVE)).isEqualTo(new Once.Applied<>("payment 1"));
        assertThat(pay(FIVE)).isEqualTo(new Once.Duplicate<>("payment 1"));
        assertThat(pay(FIVE).orRollback()).isEqualTo("payment 1");
        assertThat(paid()).isEqualTo(1);
    }

    @Test
    void once_noResult_isDoneAndKeepsNothing() throws SQLException {
        Inbox<Done> votes = Inbox.of("votes");
        for (Once<Done> expected : List.of(new Once.Applied<>(Done.DONE), new Once.Duplicate<>(Done.DONE))) {
            Once<Done> answer = tx.call(c -> votes.once(c, "evt_1", d -> {
                Db.run(d, "INSERT INTO payment VALUES ('vote', 0)");
                return Done.DONE;
            }));
            assertThat(answer).isEqualTo(expected);
        }
        assertThat(paid()).isEqualTo(1);
        assertThat(db.number("SELECT length(result) FROM tiebreak.inbox")).isZero();
    }

    @Test
    void once_sameIdOtherBody_mismatchAndRollsBack() throws SQLException {
        Once<String> unused = pay(FIVE);
        Delivery forged = Delivery.of("evt_1", "{\"cents\": 500}");

        assertThat(pay(forged)).isEqualTo(new Once.Mismatch<>("evt_1"));
        assertThatThrownBy(() -> tx.run(c -> {
                    Db.run(c, "INSERT INTO payment VALUES ('before', 1)");
                    payments.once(c, forged, d -> pay(d, "forged")).orRollback();
                }))
                .isInstanceOfSatisfying(
                        Lost.class, e -> assertThat(e.outcome()).isEqualTo(new Once.Mismatch<>("evt_1")));
        assertThat(paid()).isEqualTo(1);
    }

    @Test
    void once_bodyOnOneSideOnly_isNotCompared() {
        Once<String> unused = pay(FIVE);
        assertThat(pay(Delivery.of("evt_1"))).isEqualTo(new Once.Duplicate<>("payment 1"));
        unused = pay(Delivery.of("evt_2"));
        assertThat(pay(Delivery.of("evt_2", "anything"))).isEqualTo(new Once.Duplicate<>("payment 2"));
    }

    @Test
    void once_sameIdOfAnotherSender_isAnotherDelivery() throws SQLException {
        Once<String> unused = pay(FIVE);
        Inbox<String> refunds = Inbox.of("refunds", Codec.text());
        assertThat(outcome(c -> refunds.once(c, FIVE, d -> pay(d, "refund")))).isInstanceOf(Once.Applied.class);
        assertThat(paid()).isEqualTo(2);
    }

    @Test
    void once_firstNotCommitted_waitsAndIsToldItsResult() throws Exception {
        try (Connection c = db.begin()) {
            payments.once(c, FIVE, d -> pay(d, "evt_1")).orRollback();
            Future<Once<String>> second = Db.beside(() -> pay(FIVE));
            db.awaitBlockedBy(c);
            c.commit();
            assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(new Once.Duplicate<>("payment 1"));
        }
    }

    @Test
    void once_firstRollsBack_waiterAppliesIt() throws Exception {
        try (Connection c = db.begin()) {
            payments.once(c, FIVE, d -> pay(d, "evt_1")).orRollback();
            Future<Once<String>> second = Db.beside(() -> pay(FIVE));
            db.awaitBlockedBy(c);
            c.rollback();
            assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(new Once.Applied<>("payment 1"));
        }
        assertThat(paid()).isEqualTo(1);
    }

    @Test
    void waiting_firstStillRuns_busyAndTheTransactionGoesOn() throws SQLException {
        Inbox<String> impatient = payments.waiting(Duration.ofMillis(20));
        try (Connection c = db.begin()) {
            payments.once(c, FIVE, d -> pay(d, "evt_1")).orRollback();
            Once<String> second = tx.call(d -> {
                Once<String> answer = impatient.once(d, FIVE, e -> pay(e, "twice"));
                Db.run(d, "INSERT INTO payment VALUES ('went on', 0)");
                return answer;
            });
            assertThat(second).isInstanceOfSatisfying(Once.Busy.class, busy -> {
                assertThat(busy.attempts()).isEqualTo(1);
                assertThat(busy.waited()).isBetween(Duration.ofMillis(20), Duration.ofSeconds(5));
            });
            List<Once<String>> batch = tx.call(
                    d -> impatient.onceAll(d, List.of(FIVE, Delivery.of("evt_2")), (e, fresh) -> List.of("a", "b")));
            assertThat(batch).hasSize(2).allMatch(o -> o instanceof Once.Busy<String>);
        }
        assertThat(paid()).isEqualTo(1);
        assertThat(receipts()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"RuntimeException", "SQLException", "checked", "null"})
    @SuppressWarnings("NullAway") // a caller without NullAway can do it
    void once_effectFails_leavesNoReceiptAndTheNextDeliveryAppliesIt(String how) throws SQLException {
        assertThatThrownBy(() -> tx.run(c -> {
                    Once<String> unused = payments.once(c, FIVE, d -> {
                        String number = pay(d, "half");
                        switch (how) {
                            case "RuntimeException" -> throw new IllegalStateException("no such account");
                            case "SQLException" -> Db.run(d, "SELECT 1/0");
                            case "checked" -> throw new InterruptedException("stop");
                            default -> number = null;
                        }
                        return number;
                    });
                }))
                .isInstanceOfAny(
                        IllegalStateException.class,
                        TxException.Failed.class,
                        InterruptedException.class,
                        NullPointerException.class);
        assertThat(receipts()).isZero();
        assertThat(paid()).isZero();
        assertThat(pay(FIVE)).isEqualTo(new Once.Applied<>("payment 1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"NEVER", "CONSERVATIVE", "ALWAYS"})
    void once_failureSwallowed_cannotCommit(String autosave) throws SQLException {
        try (Connection c = db.begin()) {
            c.unwrap(PGConnection.class).setAutosave(AutoSave.valueOf(autosave));
            assertThatThrownBy(() -> {
                        Once<String> unused = payments.once(c, FIVE, d -> {
                            Db.run(d, "INSERT INTO payment VALUES ('half', 5)");
                            throw new IllegalStateException("no such account");
                        });
                    })
                    .isInstanceOf(IllegalStateException.class)
                    .hasNoSuppressedExceptions();
            assertThat(c.unwrap(PGConnection.class).getAutosave()).isEqualTo(AutoSave.valueOf(autosave));
            try {
                c.commit(); // returns normally, and the server has rolled back
            } catch (SQLException e) {
                c.rollback(); // with autosave the driver looks
            }
        }
        assertThat(receipts()).isZero();
        assertThat(paid()).isZero();
    }

    @Test
    void once_failureSwallowedInATx_isNotCommitted() throws SQLException {
        assertThatThrownBy(() -> tx.run(c -> {
                    try {
                        Once<String> unused = payments.once(c, FIVE, d -> {
                            Db.run(d, "INSERT INTO payment VALUES ('half', 5)");
                            throw new IllegalStateException("no such account");
                        });
                    } catch (IllegalStateException e) {
                        // and goes on as if nothing were
                    }
                }))
                .isInstanceOf(TxException.NotCommitted.class)
                .hasMessageContaining("an effect failed");
        assertThat(receipts() + paid()).isZero();
    }

    @Test
    void once_failsBehindASavepointOfTheCallers_onlyItsPartIsUndone() throws SQLException {
        try (Connection c = db.begin()) {
            payments.once(c, Delivery.of("evt_1"), d -> pay(d, "evt_1")).orRollback();
            var before = c.setSavepoint();
            assertThatThrownBy(() -> {
                        Once<String> unused = payments.once(c, Delivery.of("evt_2"), d -> {
                            throw new IllegalStateException("no such account");
                        });
                    })
                    .isInstanceOf(IllegalStateException.class);
            c.rollback(before);
            payments.once(c, Delivery.of("evt_3"), d -> pay(d, "evt_3")).orRollback();
            c.commit();
        }
        assertThat(db.text("SELECT string_agg(id, ' ' ORDER BY id) FROM tiebreak.inbox"))
                .isEqualTo("evt_1 evt_3");
    }

    @Test
    void once_connectionKilledDuringTheEffect_leavesNothing() throws SQLException {
        assertThatThrownBy(() -> tx.run(c -> payments.once(c, FIVE, d -> {
                            String number = pay(d, "evt_1");
                            long pid = Db.number(d, "SELECT pg_backend_pid()");
                            assertThat(db.text("SELECT pg_terminate_backend(" + pid + ", 5000)"))
                                    .isEqualTo("t");
                            Db.run(d, "SELECT 1");
                            return number;
                        })
                        .orRollback()))
                .isInstanceOf(TxException.class);
        assertThat(receipts() + paid()).isZero();
        assertThat(pay(FIVE)).isEqualTo(new Once.Applied<>("payment 1"));
    }

    @Test
    void once_autocommit_refused() throws SQLException {
        try (Connection c = db.source().getConnection()) {
            assertThatThrownBy(() -> payments.once(c, FIVE, d -> pay(d, "x")).orRollback())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("before the effect");
            assertThatThrownBy(() -> payments.onceAll(c, List.of(FIVE), (d, fresh) -> List.of("x"))
                            .size())
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(receipts()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"REPEATABLE READ", "SERIALIZABLE"})
    void once_committedSinceTheSnapshot_conflictAndThenTheResult(String level) throws SQLException {
        Tx strict = (level.equals("SERIALIZABLE") ? tx.serializable() : tx.repeatableRead()).retrying(Retry.adaptive());
        AtomicInteger runs = new AtomicInteger();
        Once<String> answer = strict.call(c -> {
            long unused = Db.number(c, "SELECT count(*) FROM payment"); // takes the snapshot
            if (runs.incrementAndGet() == 1) {
                Once<String> first = outside(() -> pay(FIVE));
                assertThat(first).isEqualTo(new Once.Applied<>("payment 1"));
            }
            return payments.once(c, FIVE, d -> pay(d, "twice"));
        });
        assertThat(answer).isEqualTo(new Once.Duplicate<>("payment 1"));
        assertThat(runs).hasValue(2);
        assertThat(paid()).isEqualTo(1);
    }

    /** On another thread, which is in no transaction. */
    private static <T> T outside(java.util.concurrent.Callable<T> work) {
        try {
            return Db.beside(work).get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void once_receiptDeletedBetweenInsertAndRead_isDoneAnew() throws Exception {
        try (Connection first = db.begin();
                Connection second = db.begin()) {
            payments.once(first, FIVE, d -> pay(d, "evt_1")).orRollback();
            Connection hooked = Between.before(second, "SELECT state", () -> {
                db.run("DELETE FROM tiebreak.inbox");
                return true;
            });
            Future<Once<String>> answer = Db.beside(() -> payments.once(hooked, FIVE, d -> pay(d, "evt_1")));
            db.awaitBlockedBy(first);
            first.commit();
            assertThat(answer.get(10, TimeUnit.SECONDS)).isEqualTo(new Once.Applied<>("payment 2"));
        }
    }

    @Test
    void once_fiftyThreadsOnAPoolOfTen_needNoSecondConnection() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setDataSource(db.source());
        config.setMaximumPoolSize(10);
        config.setConnectionTimeout(20_000);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            AtomicInteger next = new AtomicInteger();
            Tx pooled = Tx.on(pool);
            List<Once<String>> answers = Db.together(
                    50,
                    () -> pooled.call(c -> {
                        String id = "evt_" + next.getAndIncrement() % 25;
                        return payments.once(c, id, d -> pay(d, id));
                    }));
            assertThat(answers)
                    .filteredOn(o -> o instanceof Once.Applied<String>)
                    .hasSize(25);
            assertThat(paid()).isEqualTo(25);
            assertThatThrownBy(() -> pooled.run(c -> payments.once(c, "nested", d -> pooled.call(e -> pay(e, "nested")))
                            .orRollback()))
                    .as("a second connection is diagnosed at once")
                    .isInstanceOf(TxException.Misuse.class);
        }
    }

    @Test
    void once_underLoadWithFailuresAndRepetitions_eachIsAppliedOnce() throws Exception {
        int ids = 60;
        ConcurrentLinkedQueue<String> queue = new ConcurrentLinkedQueue<>();
        for (int round = 0; round < 6; round++) {
            for (int i = 0; i < ids; i++) {
                queue.add("evt_" + i);
            }
        }
        AtomicInteger failures = new AtomicInteger();
        List<Integer> applied = Db.together(6, () -> {
            Tx own = Tx.on(db.kept());
            int mine = 0;
            for (String id = queue.poll(); id != null; id = queue.poll()) {
                String event = id;
                try {
                    Once<String> answer = own.call(c -> payments.once(c, event, d -> {
                        String number = pay(d, event);
                        if (ThreadLocalRandom.current().nextInt(4) == 0) {
                            throw new IllegalStateException("now and then");
                        }
                        return number;
                    }));
                    mine += answer instanceof Once.Applied<String> ? 1 : 0;
                } catch (IllegalStateException e) {
                    failures.incrementAndGet();
                    queue.add(event);
                }
            }
            return mine;
        });
        assertThat(failures.get()).isPositive();
        assertThat(applied.stream().mapToInt(i -> i).sum()).isEqualTo(ids);
        assertThat(paid()).isEqualTo(ids);
        assertThat(db.number("SELECT count(DISTINCT event) FROM payment")).isEqualTo(ids);
    }

    @Test
    void purge_oldOnes_areDeletedInSmallBatchesAndNewAgain() throws SQLException {
        for (int i = 0; i < 5; i++) {
            Once<String> unused = pay(Delivery.of("evt_" + i));
        }
        Once<String> unused = tx.call(c -> Inbox.of("other", Codec.text()).once(c, "evt_0", d -> pay(d, "other")));
        db.run("UPDATE tiebreak.inbox SET at = at - interval '8 days' WHERE id < 'evt_4'");
        try (Connection c = db.source().getConnection()) {
            assertThat(payments.purge(c, Duration.ofDays(7), 3)).isEqualTo(3);
            assertThat(payments.purge(c, Duration.ofDays(7), 3)).isEqualTo(1);
            assertThat(payments.purge(c, Duration.ofDays(7), 3)).isZero();
            assertThatThrownBy(() -> payments.purge(c, Duration.ofDays(-1), 3))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> payments.purge(c, Duration.ZERO, 0)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(db.text("SELECT string_agg(inbox || ' ' || id, ', ' ORDER BY inbox) FROM tiebreak.inbox"))
                .isEqualTo("other evt_0, payments evt_4");
        assertThat(pay(Delivery.of("evt_0"))).as("pruned: new again").isInstanceOf(Once.Applied.class);
    }

    @Test
    void purge_besideAnother_skipsWhatThatDeletes() throws SQLException {
        Once<String> unused = pay(FIVE);
        try (Connection c = db.begin();
                Connection d = db.source().getConnection()) {
            assertThat(payments.purge(c, Duration.ZERO, 10)).isEqualTo(1);
            assertThat(payments.purge(d, Duration.ZERO, 10)).isZero();
        }
    }

    @Test
    void ids_ofAnySortThatPostgresKeeps_areKeptApart() throws SQLException {
        String longest = "\uD83D\uDE00".repeat(250); // 1,000 bytes
        Inbox<String> named = Inbox.of("\u00e9".repeat(100), Codec.text());
        for (String id : List.of("a", "A", " a", "a ", "\u00e9", "e\u0301", "'; DROP TABLE payment; --", longest)) {
            assertThat(outcome(c -> named.once(c, id, d -> "first"))).isInstanceOf(Once.Applied.class);
            assertThat(outcome(c -> named.once(c, id, d -> "again"))).isEqualTo(new Once.Duplicate<>("first"));
        }
        for (String id : List.of("", "a\0b", longest + "x", "half \uD83D", "\uDE00 half")) {
            assertThatThrownBy(() -> Delivery.of(id)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> Inbox.of("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Inbox.of("x".repeat(201))).hasMessageContaining("at most 200 bytes");
    }

    @Test
    void in_anotherSchema_keepsItsOwn() throws SQLException {
        List<String> unused = Schema.named("Other").install(db.source());
        Once<String> first = pay(FIVE);
        assertThat(outcome(c -> payments.in("Other").once(c, FIVE, d -> "other")))
                .isEqualTo(new Once.Applied<>("other"));
        assertThat(first).isEqualTo(new Once.Applied<>("payment 1"));
    }

    @Test
    void listening_hearsEachOutcomeWithoutTheId() {
        List<RaceListener.Event> heard = new ArrayList<>();
        Inbox<String> heardOf = payments.named("webhook").listening(heard::add);
        for (Delivery d : List.of(FIVE, FIVE, Delivery.of("evt_1", "forged"))) {
            Once<String> unused = tx.call(c -> heardOf.once(c, d, e -> "ok"));
        }
        List<Once<String>> unused =
                tx.call(c -> heardOf.onceAll(c, List.of(FIVE, Delivery.of("evt_2")), (d, fresh) -> List.of("ok")));
        assertThat(heard)
                .extracting(RaceListener.Event::outcome)
                .containsExactly("Applied", "Duplicate", "Mismatch", "Duplicate", "Applied");
        assertThat(heard).allSatisfy(event -> {
            assertThat(event.race()).isEqualTo("webhook");
            assertThat(event.strategy()).isEqualTo("unique key");
            assertThat(event.toString()).doesNotContain("evt_");
        });
    }
}
