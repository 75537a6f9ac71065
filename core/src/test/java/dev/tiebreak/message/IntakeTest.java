package dev.tiebreak.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Codec;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Tx;
import dev.tiebreak.message.Intake.Accept;
import dev.tiebreak.message.Intake.Claim;
import dev.tiebreak.message.Intake.Finish;
import dev.tiebreak.message.Intake.GiveBack;
import dev.tiebreak.message.Intake.Renew;
import dev.tiebreak.message.Intake.Task;
import dev.tiebreak.schema.Schema;
import dev.tiebreak.testing.Db;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class IntakeTest {
    private static final Delivery EVENT = Delivery.of("evt_1", "{\"cents\": 5}");

    private final Db db;
    private final Tx tx;
    private final Intake<String> payments = Intake.of("payments", Codec.text());

    IntakeTest(int major) {
        this.db = Db.on(major);
        this.tx = Tx.on(db.source());
    }

    @BeforeEach
    void tables() throws SQLException {
        List<String> unused = Schema.standard().install(db.source());
        db.run("CREATE TABLE payment (event text, worker text)");
    }

    private Object outcome(Tx.Body<?, RuntimeException> body) {
        return tx.call(body);
    }

    private Object accept(Delivery delivery) {
        return outcome(c -> payments.accept(c, delivery));
    }

    private Task claim() {
        return tx.call(c -> payments.claim(c).orRollback()).task();
    }

    /** As if so much time had passed for the delivery: the database's clock is the only one that counts. */
    private void leaseIsOver() throws SQLException {
        db.run("UPDATE tiebreak.inbox SET until = until - interval '1 hour'");
    }

    @Test
    void accept_untilItIsFinished_pendingAndThenTheResult() {
        assertThat(accept(EVENT)).isEqualTo(new Accept.Accepted<>("evt_1"));
        assertThat(accept(EVENT)).isEqualTo(new Accept.Pending<>("evt_1"));
        assertThat(accept(Delivery.of("evt_1", "forged"))).isEqualTo(new Accept.Mismatch<>("evt_1"));

        Task task = claim();
        assertThat(task.delivery().id()).isEqualTo("evt_1");
        assertThat(task.delivery().text()).isEqualTo("{\"cents\": 5}");
        assertThat(task.token()).isEqualTo(1);
        assertThat(accept(EVENT)).isEqualTo(new Accept.Pending<>("evt_1"));
        assertThat(outcome(c -> payments.claim(c))).as("nobody else has it").isEqualTo(new Claim.NoneFree<>());

        assertThat(outcome(c -> payments.finish(c, task, "charge 7"))).isEqualTo(new Finish.Finished<>("charge 7"));
        assertThat(accept(EVENT)).isEqualTo(new Accept.Duplicate<>("charge 7"));
        assertThat(outcome(c -> payments.claim(c))).isEqualTo(new Claim.NoneFree<>());
    }

    @Test
    void accept_firstNotCommitted_waitsOrIsBusy() throws Exception {
        try (Connection c = db.begin()) {
            payments.accept(c, EVENT).orRollback();
            assertThat(outcome(d -> payments.waiting(Duration.ofMillis(10)).accept(d, EVENT)))
                    .isInstanceOf(Accept.Busy.class);
            Future<Object> second = Db.beside(() -> accept(EVENT));
            db.awaitBlockedBy(c);
            c.commit();
            assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(new Accept.Pending<>("evt_1"));
        }
    }

    @Test
    void finish_workWritesInTheSameTransaction_bothOrNeither() throws SQLException {
        Object unused = accept(EVENT);
        Task task = claim();
        assertThatThrownBy(() -> tx.run(c -> {
                    payments.finish(c, task, "charge 7").orRollback();
                    Db.run(c, "INSERT INTO payment VALUES ('evt_1', 'ana')");
                    throw new IllegalStateException("and then it failed");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(accept(EVENT)).isEqualTo(new Accept.Pending<>("evt_1"));
        assertThat(db.number("SELECT count(*) FROM payment")).isZero();
        assertThat(outcome(c -> payments.finish(c, task, "charge 7"))).isInstanceOf(Finish.Finished.class);
    }

    @Test
    void finish_pausedPastTheLease_staleAndNothingOfItIsWritten() throws SQLException {
        Object unused = accept(EVENT);
        Task paused = claim();
        leaseIsOver();
        Task next = claim();
        assertThat(next.token()).isEqualTo(2);

        assertThatThrownBy(() -> tx.run(c -> {
                    Db.run(c, "INSERT INTO payment VALUES ('evt_1', 'paused')");
                    payments.finish(c, paused, "late").orRollback();
                }))
                .isInstanceOfSatisfying(Lost.class, e -> assertThat(e.outcome()).isEqualTo(new Finish.Stale<>(2)));
        assertThat(outcome(c -> payments.renew(c, paused))).isEqualTo(new Renew.Stale(2));
        assertThat(outcome(c -> payments.giveBack(c, paused, Duration.ZERO))).isEqualTo(new GiveBack.Stale(2));
        assertThat(db.number("SELECT count(*) FROM payment")).isZero();
        assertThat(outcome(c -> payments.finish(c, next, "in time"))).isEqualTo(new Finish.Finished<>("in time"));
        assertThat(outcome(c -> payments.finish(c, paused, "late"))).isEqualTo(new Finish.Stale<>(2));
    }

    @Test
    void finish_leaseIsOverAndNobodyElseCame_stillGood() throws SQLException {
        Object unused = accept(EVENT);
        Task slow = claim();
        leaseIsOver();
        assertThat(outcome(c -> payments.finish(c, slow, "late but alone"))).isInstanceOf(Finish.Finished.class);
    }

    @Test
    void finish_again_isTheSameFinishing() {
        Object unused = accept(EVENT);
        Task task = claim();
        unused = outcome(c -> payments.finish(c, task, "charge 7"));
        assertThat(outcome(c -> payments.finish(c, task, "charge 8"))).isEqualTo(new Finish.Duplicate<>("charge 7"));
        assertThat(outcome(c -> payments.renew(c, task))).isEqualTo(new Renew.Stale(1));
    }

    @Test
    void finish_receiptIsGone_stale() throws SQLException {
        Object unused = accept(EVENT);
        Task task = claim();
        db.run("DELETE FROM tiebreak.inbox");
        assertThat(outcome(c -> payments.finish(c, task, "x"))).isEqualTo(new Finish.Stale<>(0));
    }

    @Test
    void renew_longWork_keepsTheLease() throws SQLException {
        Object unused = accept(EVENT);
        Task task = claim();
        leaseIsOver();
        assertThat(outcome(c -> payments.renew(c, task)))
                .isInstanceOfSatisfying(Renew.Renewed.class, renewed -> assertThat(renewed.until())
                        .isBetween(task.until(), task.until().plusSeconds(20)));
        assertThat(outcome(c -> payments.claim(c))).isEqualTo(new Claim.NoneFree<>());
    }

    @Test
    void giveBack_isClaimedAgainAfterThePause() throws SQLException {
        Object unused = accept(EVENT);
        Task first = claim();
        Object back = outcome(c -> payments.giveBack(c, first, Duration.ofMinutes(1)));
        assertThat(back).isInstanceOf(GiveBack.GivenBack.class);
        assertThat(outcome(c -> payments.claim(c))).isEqualTo(new Claim.NoneFree<>());
        assertThat(outcome(c -> payments.finish(c, first, "x")))
                .as("it was let go")
                .isEqualTo(new Finish.Stale<>(1));
        leaseIsOver();
        assertThat(claim().token()).as("how often it was claimed").isEqualTo(2);
    }

    @Test
    void claim_several_longestWaitingFirstAndOthersAreSkipped() throws SQLException {
        for (int i = 1; i <= 3; i++) {
            Object unused = accept(Delivery.of("evt_" + i));
        }
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            assertThat(payments.claim(c).orRollback().task().delivery().id()).isEqualTo("evt_1");
            assertThat(payments.claim(d).orRollback().task().delivery().id()).isEqualTo("evt_2");
            c.rollback();
            assertThat(claim().delivery().id()).as("given up by the rollback").isEqualTo("evt_1");
        }
    }

    @Test
    void claim_autocommitConnection_isCommittedAtOnce() throws SQLException {
        try (Connection c = db.source().getConnection()) {
            payments.accept(c, EVENT).orRollback();
            payments.claim(c).orRollback();
        }
        assertThat(db.text("SELECT state FROM tiebreak.inbox")).isEqualTo("working");
    }

    @Test
    void inbox_sameNameAndId_isBusyUntilTheWorkIsDone() {
        Inbox<String> inbox = Inbox.of("payments", Codec.text());
        Object unused = accept(EVENT);
        assertThat(outcome(c -> inbox.once(c, EVENT, d -> "twice"))).isInstanceOf(Inbox.Once.Busy.class);
        Task task = claim();
        unused = outcome(c -> payments.finish(c, task, "charge 7"));
        assertThat(outcome(c -> inbox.once(c, EVENT, d -> "twice"))).isEqualTo(new Inbox.Once.Duplicate<>("charge 7"));
    }

    @Test
    void claimAndFinish_manyWorkersSomeDie_eachDeliveryIsPaidOnce() throws Exception {
        int events = 60;
        for (int i = 0; i < events; i++) {
            Object unused = accept(Delivery.of("evt_" + i));
        }
        Intake<String> quick = payments.lasting(Duration.ofMillis(40));
        List<Integer> stale = Db.together(5, () -> {
            Tx own = Tx.on(db.kept());
            int lost = 0;
            int turn = 0;
            while (db.number("SELECT count(*) FROM tiebreak.inbox WHERE state <> 'done'") > 0) {
                Claim<String> claim = own.call(c -> quick.claim(c));
                if (!(claim instanceof Claim.Claimed<String> claimed) || turn++ % 4 == 0) {
                    continue; // nothing free, or the worker dies here
                }
                Task task = claimed.task();
                try {
                    own.run(c -> {
                        Db.run(
                                c,
                                "INSERT INTO payment VALUES ('"
                                        + task.delivery().id() + "', 'me')");
                        quick.finish(c, task, "ok").orRollback();
                    });
                } catch (Lost e) {
                    lost++;
                }
            }
            return lost;
        });
        assertThat(stale).hasSize(5);
        assertThat(db.number("SELECT count(*) FROM payment")).isEqualTo(events);
        assertThat(db.number("SELECT count(DISTINCT event) FROM payment")).isEqualTo(events);
    }

    @Test
    void options_senseless_refused() {
        assertThatThrownBy(() -> payments.lasting(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> payments.waiting(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Intake.of("x".repeat(201))).isInstanceOf(IllegalArgumentException.class);
        Task task = new Task(EVENT, 1, Instant.EPOCH);
        assertThatThrownBy(() -> tx.run(
                        c -> payments.giveBack(c, task, Duration.ofSeconds(-1)).orRollback()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(payments.lasting(Duration.ofSeconds(5))).hasToString("payments (in tiebreak.inbox, for PT5S)");
    }

    @Test
    void listening_hearsEachOutcome() {
        List<RaceListener.Event> heard = new ArrayList<>();
        Intake<Done> votes = Intake.of("votes").named("webhook").listening(heard::add);
        Object unused = outcome(c -> votes.accept(c, EVENT));
        Task task = tx.call(c -> votes.claim(c).orRollback()).task();
        unused = outcome(c -> votes.renew(c, task));
        unused = outcome(c -> votes.finish(c, task, Done.DONE));
        unused = outcome(c -> votes.giveBack(c, task, Duration.ZERO));
        assertThat(heard)
                .extracting(RaceListener.Event::outcome)
                .containsExactly("Accepted", "Claimed", "Renewed", "Finished", "Stale");
        assertThat(heard)
                .extracting(RaceListener.Event::strategy)
                .containsExactly("unique key", "lease", "lease", "lease", "lease");
    }
}
