package dev.tiebreak.message;

import dev.tiebreak.Lost;
import dev.tiebreak.Tx;
import dev.tiebreak.message.Intake.Task;
import dev.tiebreak.prove.Proof;
import dev.tiebreak.schema.Schema;
import dev.tiebreak.testing.Db;
import dev.tiebreak.testing.Proving;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class IntakeProofTest extends Proving {
    private static final String EMPTY = "TRUNCATE tiebreak.inbox, payment";
    /** Ana has claimed it, was paused, and her lease is over. */
    private static final String OVER =
            EMPTY + "; INSERT INTO tiebreak.inbox (inbox, id, state, fingerprint, token, until)"
                    + " VALUES ('payments', 'evt_1', 'working', '', 1, clock_timestamp() - interval '1 s')";

    private static final Task ANAS = new Task(Delivery.of("evt_1"), 1, Instant.EPOCH);
    private static final String STATES =
            "SELECT id, state, token FROM tiebreak.inbox"; // `at` and `until` are others in every run
    private static final String PAID_ONCE = "SELECT count(*) = 1 FROM payment";

    private final Intake<Done> intake = Intake.of("payments");

    IntakeProofTest(int major) throws SQLException {
        super(major, Schema.standard().sql() + "CREATE TABLE payment (event text)");
    }

    private static void pay(Connection c) throws SQLException {
        Db.run(c, "INSERT INTO payment VALUES ('evt_1')");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void accept_sameDelivery_everyOrder_acceptedOnce(int sessions) {
        race(sessions, EMPTY, (source, who) -> outcome(source, c -> intake.accept(c, Delivery.of("evt_1"))))
                .state(STATES)
                .invariant("once", "SELECT count(*) = 1 FROM tiebreak.inbox")
                .someoneWaits()
                .explore()
                .assertProved();
    }

    /** Ana goes on after her pause; Ben and Cara claim what is free and do it. */
    private Proof pausedWorker(int sessions, boolean fenced) {
        return race(sessions, OVER, (source, who) -> {
                    Task task = who == 1 ? ANAS : claimed(source);
                    return task == null ? "nothing" : work(source, task, fenced);
                })
                .state(STATES)
                .serialEquivalent(Proof.Serial.OFF)
                .invariant("paid once", PAID_ONCE)
                .invariant("done", "SELECT state = 'done' FROM tiebreak.inbox");
    }

    private @Nullable Task claimed(DataSource source) {
        return Tx.on(source).call(c -> intake.claim(c)) instanceof Intake.Claim.Claimed<Done> claimed
                ? claimed.task()
                : null;
    }

    private String work(DataSource source, Task task, boolean fenced) {
        try {
            Tx.on(source).run(c -> {
                pay(c);
                if (fenced) {
                    intake.finish(c, task, Done.DONE).orRollback();
                } else {
                    Db.run(c, "UPDATE tiebreak.inbox SET state = 'done' WHERE id = 'evt_1'");
                }
            });
            return "paid";
        } catch (Lost e) {
            return word(e.outcome());
        }
    }

    @Test
    void finish_workerPausedPastItsLease_everyOrder_paidOnce() {
        pausedWorker(Boolean.getBoolean("tiebreak.deep") ? 3 : 2, true)
                .explore()
                .assertProved();
    }

    @Test
    void withoutTheToken_isCaught() {
        assertCaught(pausedWorker(2, false));
    }
}
