package dev.tiebreak.message;

import static dev.tiebreak.message.Done.DONE;

import dev.tiebreak.Codec;
import dev.tiebreak.Tx;
import dev.tiebreak.prove.Proof;
import dev.tiebreak.schema.Schema;
import dev.tiebreak.testing.Db;
import dev.tiebreak.testing.Proving;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class InboxProofTest extends Proving {
    private static final String RESET = "TRUNCATE tiebreak.inbox, payment, seen";
    private static final String STATE = "SELECT p.event, i.id, convert_from(i.result, 'UTF8') FROM payment p FULL JOIN"
            + " tiebreak.inbox i ON i.id = p.event"; // `at` is another one in every run
    private static final String PAID_ONCE = "SELECT count(*) = 1 FROM payment";
    private static final String RECEIPT_AND_EFFECT =
            "SELECT (SELECT count(*) FROM payment) = (SELECT count(*) FROM tiebreak.inbox)";
    private static final String PAY = "INSERT INTO payment SELECT id FROM {new}";

    private final Inbox<String> inbox = Inbox.of("payments", Codec.text());

    InboxProofTest(int major) throws SQLException {
        super(major, Schema.standard().sql() + "CREATE TABLE payment (event text); CREATE TABLE seen (id text)");
    }

    private static String pay(Connection c) throws SQLException {
        Db.run(c, "INSERT INTO payment VALUES ('evt_1')");
        return "paid";
    }

    private String once(DataSource source) {
        return outcome(source, c -> inbox.once(c, "evt_1", InboxProofTest::pay));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void once_sameDelivery_everyOrder_oneEffectAndAllAreTold(int sessions) {
        race(sessions, RESET, (source, who) -> once(source))
                .state(STATE)
                .invariant("paid once", PAID_ONCE)
                .someoneWaits()
                .explore()
                .assertProved();
    }

    /** The first effect fails, and its receipt goes with it: whoever comes then pays. */
    @Test
    void once_oneEffectFails_everyOrder_receiptAndEffectTogether() {
        race(3, RESET, (source, who) -> {
                    if (who > 1) {
                        return once(source);
                    }
                    try {
                        return outcome(
                                source,
                                c -> inbox.once(c, "evt_1", d -> {
                                    String unused = pay(d);
                                    throw new IllegalStateException("no such account");
                                }));
                    } catch (IllegalStateException e) {
                        return "failed";
                    }
                })
                .state(STATE)
                .invariant("paid once", PAID_ONCE)
                .explore()
                .assertProved();
    }

    @Test
    void onceSql_besideCode_everyOrder_oneEffect() {
        race(
                        3,
                        RESET,
                        (source, who) -> who == 1
                                ? once(source)
                                : outcome(source, c -> inbox.onceSql(c, Delivery.of("evt_1"), "paid", PAY)))
                .state(STATE)
                .invariant("paid once", PAID_ONCE)
                .explore()
                .assertProved();
    }

    @Test
    void onceAll_overlappingBatchesInOppositeOrder_everyOrder_eachOnceAndNoDeadlock() {
        List<Delivery> forth = List.of(Delivery.of("evt_1"), Delivery.of("evt_2"));
        race(2, RESET, (source, who) -> Tx.on(source)
                        .call(c -> inbox.onceAllSql(c, who == 1 ? forth : forth.reversed(), d -> "paid", PAY))
                        .stream()
                        .map(Proving::word)
                        .toList())
                .state(STATE)
                .invariant("two receipts, two effects", RECEIPT_AND_EFFECT + " AND (SELECT count(*) FROM payment) = 2")
                .someoneWaits()
                .explore()
                .assertProved();
    }

    @Test
    void purge_besideADuplicate_everyOrder_receiptAndEffectTogether() {
        race(
                        2,
                        RESET + "; INSERT INTO payment VALUES ('evt_1');"
                                + " INSERT INTO tiebreak.inbox (inbox, id, fingerprint, at)"
                                + " VALUES ('payments', 'evt_1', '', clock_timestamp() - interval '9 days')",
                        (source, who) -> who == 1
                                ? Tx.on(source).call(c -> inbox.purge(c, java.time.Duration.ofDays(7), 10))
                                : once(source))
                .serialEquivalent(Proof.Serial.OFF)
                .invariant("kept, or done anew", """
                        SELECT (count(*), (SELECT count(*) FROM tiebreak.inbox)) IN ((1, 0), (2, 1)) FROM payment""")
                .explore()
                .assertProved();
    }

    /** Check, then insert: both look, neither finds it. */
    @Test
    void checkThenInsert_isCaught() {
        assertCaught(race(2, RESET, (source, who) -> Tx.on(source).call(c -> {
                    boolean fresh = Db.number(c, "SELECT count(*) FROM seen WHERE id = 'evt_1'") == 0;
                    if (fresh) {
                        String unused = pay(c);
                        Db.run(c, "INSERT INTO seen VALUES ('evt_1')");
                    }
                    return DONE;
                }))
                .invariant("paid once", PAID_ONCE));
    }

    /** An id of the attempt, not of the event: no inbox can know that they are the same. */
    @Test
    void idOfTheAttempt_isCaught() {
        assertCaught(race(
                        2,
                        RESET,
                        (source, who) ->
                                outcome(source, c -> inbox.once(c, "request " + new UUID(1, who), InboxProofTest::pay)))
                .serialEquivalent(Proof.Serial.OFF)
                .invariant("paid once", PAID_ONCE));
    }

    /** The receipt in a transaction of its own, before the work: the work fails, and its repetition finds the receipt. */
    @Test
    void receiptCommittedBeforeTheWork_isCaught() {
        assertCaught(race(2, RESET, (source, who) -> {
                    boolean fresh = outcome(source, c -> inbox.once(c, "evt_1", d -> "seen"))
                            .equals("Applied");
                    boolean works = who == 2;
                    if (fresh && works) {
                        String unused = Tx.on(source).call(InboxProofTest::pay);
                    }
                    return DONE;
                })
                .serialEquivalent(Proof.Serial.OFF)
                .invariant("paid once", PAID_ONCE));
    }
}
