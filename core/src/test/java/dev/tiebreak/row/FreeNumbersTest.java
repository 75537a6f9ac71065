package dev.tiebreak.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.TxException;
import dev.tiebreak.testing.Db;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class FreeNumbersTest {
    private static final Table INVOICE = Table.of("invoice").keyedBy("company", "no");
    private static final Map<String, Object> ACME = Map.of("company", "acme");

    private final Db db;
    private final Tx tx;
    private final FreeNumbers numbers = FreeNumbers.of(INVOICE, "no");

    FreeNumbersTest(int major) {
        this.db = Db.on(major);
        this.tx = Tx.on(db.source());
    }

    @BeforeEach
    void tables() throws SQLException {
        db.run("CREATE TABLE invoice (company text, no int, payload jsonb, PRIMARY KEY (company, no))");
    }

    private Object claim(FreeNumbers from) {
        return tx.call(c -> from.claim(c, ACME, Map.of("payload", "{}")));
    }

    @Test
    void claim_oneAfterTheOther_countsFromOneInEachGroup() {
        assertThat(claim(numbers)).isEqualTo(new FreeNumbers.Claim.Claimed(1));
        assertThat(claim(numbers)).isEqualTo(new FreeNumbers.Claim.Claimed(2));
        assertThat((Object) tx.call(c -> numbers.claim(c, Map.of("company", "other"), Map.of())))
                .isEqualTo(new FreeNumbers.Claim.Claimed(1));
    }

    @Test
    void claim_anotherHasTheNumber_waitsAndTakesTheNextOne() throws Exception {
        try (Connection c = db.begin()) {
            numbers.claim(c, ACME, Map.of()).orRollback();
            Future<Object> second = Db.beside(() -> claim(numbers));
            db.awaitBlockedBy(c);
            c.commit();
            assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(new FreeNumbers.Claim.Claimed(2));
        }
    }

    @Test
    void claim_anotherRollsBack_takesItsNumberAndLeavesNoGap() throws Exception {
        try (Connection c = db.begin()) {
            numbers.claim(c, ACME, Map.of()).orRollback();
            Future<Object> second = Db.beside(() -> claim(numbers));
            db.awaitBlockedBy(c);
            c.rollback();
            assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(new FreeNumbers.Claim.Claimed(1));
        }
    }

    @Test
    void maxPlusOne_twoAtOnce_uniqueViolationFailsTheTransaction() throws Exception {
        String insert = "INSERT INTO invoice (company, no) SELECT 'acme', coalesce(max(no), 0) + 1 FROM invoice";
        try (Connection c = db.begin()) {
            Db.run(c, insert);
            Future<Object> second = Db.beside(() -> {
                tx.run(d -> Db.run(d, insert));
                return true;
            });
            db.awaitBlockedBy(c);
            c.commit();
            assertThatThrownBy(() -> second.get(10, TimeUnit.SECONDS))
                    .as("the broken variant")
                    .hasCauseInstanceOf(TxException.Failed.class)
                    .hasMessageContaining("invoice_pkey");
        }
    }

    @Test
    void waiting_anotherHasTheNumber_busyAndTheTransactionGoesOn() throws SQLException {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            numbers.claim(c, ACME, Map.of()).orRollback();
            assertThat((Object) numbers.waiting(Duration.ofMillis(20)).claim(d, ACME, Map.of()))
                    .isInstanceOf(FreeNumbers.Claim.Busy.class);
            Db.run(d, "INSERT INTO invoice VALUES ('other', 1)");
            d.commit();
        }
        assertThat(db.number("SELECT count(*) FROM invoice WHERE company = 'other'"))
                .isEqualTo(1);
    }

    @Test
    void lowestFree_gap_isFilled() throws SQLException {
        db.run("INSERT INTO invoice SELECT 'acme', i FROM unnest(ARRAY[1, 2, 4]) i");
        FreeNumbers lowest = numbers.lowestFree();
        assertThat(claim(lowest)).isEqualTo(new FreeNumbers.Claim.Claimed(3));
        assertThat(claim(lowest)).isEqualTo(new FreeNumbers.Claim.Claimed(5));
        db.run("DELETE FROM invoice WHERE no = 1");
        assertThat(claim(numbers)).isEqualTo(new FreeNumbers.Claim.Claimed(6));
        assertThat(claim(lowest)).isEqualTo(new FreeNumbers.Claim.Claimed(1));
    }

    @Test
    void upTo_allTaken_noneFree() {
        FreeNumbers two = numbers.upTo(2);
        assertThat(claim(two)).isEqualTo(new FreeNumbers.Claim.Claimed(1));
        assertThat(claim(two)).isEqualTo(new FreeNumbers.Claim.Claimed(2));
        assertThat(claim(two)).isEqualTo(new FreeNumbers.Claim.NoneFree());
        assertThat(claim(two.lowestFree())).isEqualTo(new FreeNumbers.Claim.NoneFree());
    }

    @Test
    void claim_anotherUniqueKeySaysNo_isThrown() throws SQLException {
        db.run("ALTER TABLE invoice ADD UNIQUE (payload)");
        assertThat(claim(numbers)).isEqualTo(new FreeNumbers.Claim.Claimed(1));
        assertThatThrownBy(() -> claim(numbers)).isInstanceOfSatisfying(TxException.class, e -> assertThat(e.sqlState())
                .isEqualTo("23505"));
    }

    @Test
    void listening_aClaim_namesRaceAndOutcome() {
        List<RaceListener.Event> events = new ArrayList<>();
        FreeNumbers heard = numbers.named("invoices").upTo(1).listening(events::add);
        assertThat(claim(heard)).isEqualTo(new FreeNumbers.Claim.Claimed(1));
        assertThat(claim(heard)).isEqualTo(new FreeNumbers.Claim.NoneFree());
        assertThat(events).extracting(RaceListener.Event::outcome).containsExactly("Claimed", "NoneFree");
        assertThat(events).extracting(RaceListener.Event::race).containsOnly("invoices");
        assertThat(events).extracting(RaceListener.Event::strategy).containsOnly("unique key");
    }

    @Test
    void claim_theAttemptsAreSpent_isBusy() throws Exception {
        try (Connection c = db.begin()) {
            numbers.claim(c, ACME, Map.of()).orRollback();
            Future<Object> second = Db.beside(() -> claim(numbers.attempts(1)));
            db.awaitBlockedBy(c);
            c.commit();
            assertThat(second.get(10, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(FreeNumbers.Claim.Busy.class, busy -> assertThat(busy.attempts())
                            .isEqualTo(1));
        }
    }

    @Test
    void claim_groupNamedWrongly_refused() {
        assertThatThrownBy(() -> tx.run(
                        c -> numbers.claim(c, Map.of("kompany", 1), Map.of()).orRollback()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("company");
        assertThatThrownBy(() -> FreeNumbers.of(INVOICE, "payload").claim(db.begin(), ACME, Map.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void claim_underLoadWithRollbacks_noNumberTwiceAndNoGap() throws Exception {
        List<Integer> claimed = Db.together(8, () -> {
            Tx mine = Tx.on(db.kept());
            int won = 0;
            for (int i = 0; i < 25; i++) {
                boolean rollBack = ThreadLocalRandom.current().nextInt(4) == 0;
                try {
                    FreeNumbers.Claim answer = mine.call(c -> {
                        FreeNumbers.Claim a = numbers.attempts(100).claim(c, ACME, Map.of());
                        if (rollBack) {
                            throw new IllegalStateException("changed my mind");
                        }
                        return a;
                    });
                    won += answer instanceof FreeNumbers.Claim.Claimed ? 1 : 0;
                } catch (IllegalStateException expected) {
                    assertThat(expected).hasMessage("changed my mind");
                }
            }
            return won;
        });
        long all = claimed.stream().mapToInt(n -> n).sum();
        assertThat(db.number("SELECT count(*) FROM invoice")).isEqualTo(all);
        assertThat(db.number("SELECT max(no) FROM invoice")).as("no gap").isEqualTo(all);
    }
}
