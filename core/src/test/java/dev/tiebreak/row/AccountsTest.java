package dev.tiebreak.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.testing.Db;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
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
class AccountsTest {
    private static final Table ACCOUNT = Table.of("account").keyedBy("id");

    private final Db db;
    private final Tx tx;
    private final Accounts accounts = Accounts.of(ACCOUNT, "cents");
    private final Accounts booked = accounts.ledger(Table.of("transfer"), "payer", "payee", "cents");

    AccountsTest(int major) {
        this.db = Db.on(major);
        this.tx = Tx.on(db.source());
    }

    @BeforeEach
    void tables() throws SQLException {
        db.run("""
                CREATE TABLE account (id int PRIMARY KEY, cents bigint NOT NULL);
                INSERT INTO account SELECT id, 1000 FROM generate_series(5, 1, -1) id;
                CREATE TABLE transfer (id bigint GENERATED ALWAYS AS IDENTITY, payer int, payee int, cents bigint,
                    reference uuid, note jsonb)""");
    }

    private static Key account(int id) {
        return ACCOUNT.key("id", id);
    }

    private Object outcome(Tx.Body<?, RuntimeException> body) {
        return tx.call(body);
    }

    @Test
    void move_enough_movedAndBothBalancesAnswered() {
        assertThat(outcome(c -> accounts.move(c, account(1), account(2), 300)))
                .isEqualTo(new Accounts.Move.Moved(700, 1300));
        assertThat(outcome(c -> accounts.move(c, account(2), account(1), 1300)))
                .isEqualTo(new Accounts.Move.Moved(0, 2000));
    }

    @Test
    void move_notEnough_insufficientAndTheSumIsTheSame() throws SQLException {
        assertThat(outcome(c -> accounts.move(c, account(1), account(2), 1001)))
                .isEqualTo(new Accounts.Move.Insufficient(1000));
        assertThat(outcome(c -> accounts.overdraft(1).move(c, account(1), account(2), 1001)))
                .isEqualTo(new Accounts.Move.Moved(-1, 2001));
        assertThat(db.number("SELECT sum(cents) FROM account")).isEqualTo(5000);
    }

    @Test
    void move_oneIsMissing_absentNamesIt() {
        assertThat(outcome(c -> accounts.move(c, account(9), account(2), 1)))
                .isEqualTo(new Accounts.Move.Absent(account(9)));
        assertThat(outcome(c -> accounts.move(c, account(1), account(9), 1)))
                .isEqualTo(new Accounts.Move.Absent(account(9)));
    }

    @Test
    void move_senseless_refused() {
        assertThatThrownBy(() -> outcome(c -> accounts.move(c, account(1), account(1), 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("itself");
        assertThatThrownBy(() -> outcome(c -> accounts.move(c, account(1), account(2), 0)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> outcome(c -> accounts.move(c, account(1), account(2), -5)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void move_payeeIsFull_overflowAndNoError() throws SQLException {
        db.run("UPDATE account SET cents = 9223372036854775800 WHERE id = 2");
        assertThat(outcome(c -> accounts.move(c, account(1), account(2), 8))).isEqualTo(new Accounts.Move.Overflow(7));
        assertThat(outcome(c -> accounts.move(c, account(2), account(1), Long.MAX_VALUE)))
                .isEqualTo(new Accounts.Move.Insufficient(9223372036854775800L));
        db.run("ALTER TABLE account ALTER cents TYPE smallint USING least(cents, 32000)");
        assertThat(outcome(c -> accounts.move(c, account(1), account(2), 800)))
                .isEqualTo(new Accounts.Move.Overflow(767));
        assertThat(outcome(c -> accounts.move(c, account(1), account(2), 767)))
                .isEqualTo(new Accounts.Move.Moved(233, 32767));
    }

    @Test
    void move_balanceInFractions_refused() throws SQLException {
        db.run("ALTER TABLE account ALTER cents TYPE numeric");
        assertThatThrownBy(() -> outcome(c -> accounts.move(c, account(1), account(2), 1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("whole number");
    }

    @Test
    void ledger_moved_oneRowInTheSameStatement_andNoneForALoser() throws SQLException {
        tx.run(c -> booked.move(
                        c,
                        account(1),
                        account(2),
                        300,
                        Map.of("reference", "6f1cd6a5-96e1-4b4b-9f4b-0d8a9ef6b0aa", "note", "{\"for\": \"tea\"}"))
                .orRollback());
        assertThat(outcome(c -> booked.move(c, account(1), account(2), 3000)))
                .isInstanceOf(Accounts.Move.Insufficient.class);
        assertThat(db.number("SELECT count(*) FROM transfer")).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM transfer WHERE payer = 1 AND payee = 2 AND cents = 300"
                        + " AND reference IS NOT NULL AND note->>'for' = 'tea'"))
                .isEqualTo(1);
    }

    @Test
    void orRollback_insufficient_earlierWritesAreGone() throws SQLException {
        assertThatThrownBy(() -> tx.run(c -> {
                    accounts.move(c, account(1), account(2), 600).orRollback();
                    accounts.move(c, account(1), account(3), 600).orRollback();
                }))
                .isInstanceOf(Lost.class);
        assertThat(db.number("SELECT cents FROM account WHERE id = 2")).isEqualTo(1000);
    }

    @Test
    void move_anotherSpentItMeanwhile_insufficientAfterTheWait() throws Exception {
        try (Connection c = db.begin()) {
            accounts.move(c, account(1), account(2), 900).orRollback();
            Future<Accounts.Move> second = Db.beside(() -> tx.call(d -> accounts.move(d, account(1), account(3), 900)));
            db.awaitBlockedBy(c);
            c.commit();
            assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(new Accounts.Move.Insufficient(100));
        }
    }

    @Test
    void readThenWrite_twoAtOnce_moneyIsMade() throws Exception {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            long first = Db.number(c, "SELECT cents FROM account WHERE id = 1");
            long second = Db.number(d, "SELECT cents FROM account WHERE id = 1");
            Db.run(c, "UPDATE account SET cents = " + (first - 900) + " WHERE id = 1");
            Db.run(c, "UPDATE account SET cents = cents + 900 WHERE id = 2");
            c.commit();
            Db.run(d, "UPDATE account SET cents = " + (second - 900) + " WHERE id = 1");
            Db.run(d, "UPDATE account SET cents = cents + 900 WHERE id = 3");
            d.commit();
        }
        assertThat(db.number("SELECT sum(cents) FROM account"))
                .as("the broken variant")
                .isEqualTo(5900);
    }

    @Test
    void waiting_rowsAreHeld_busyAndTheTransactionGoesOn() throws SQLException {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            accounts.move(c, account(1), account(2), 1).orRollback();
            assertThat((Object) accounts.waiting(Duration.ofMillis(20)).move(d, account(2), account(3), 1))
                    .isInstanceOf(Accounts.Move.Busy.class);
            accounts.move(d, account(3), account(4), 1).orRollback();
            d.commit();
        }
        assertThat(db.number("SELECT cents FROM account WHERE id = 4")).isEqualTo(1001);
    }

    @Test
    void move_underLoadBothWaysWithRollbacks_noDeadlockAndTheSumIsConstant() throws Exception {
        List<Integer> moved = Db.together(8, () -> {
            Tx mine = Tx.on(db.kept());
            int done = 0;
            for (int i = 0; i < 100; i++) {
                ThreadLocalRandom random = ThreadLocalRandom.current();
                int from = 1 + random.nextInt(3);
                int to = 1 + (from + random.nextInt(2)) % 3;
                long amount = 1L + random.nextInt(400);
                boolean rollBack = random.nextInt(4) == 0;
                try {
                    Accounts.Move answer = mine.call(c -> {
                        Accounts.Move a = booked.move(c, account(from), account(to), amount);
                        if (rollBack) {
                            throw new IllegalStateException("changed my mind");
                        }
                        return a;
                    });
                    done += answer instanceof Accounts.Move.Moved ? 1 : 0;
                } catch (IllegalStateException expected) {
                    assertThat(expected).hasMessage("changed my mind");
                }
            }
            return done;
        });
        assertThat(db.number("SELECT sum(cents) FROM account")).isEqualTo(5000);
        assertThat(db.number("SELECT count(*) FROM account WHERE cents < 0")).isZero();
        assertThat(db.number("SELECT count(*) FROM transfer"))
                .isEqualTo(moved.stream().mapToInt(n -> n).sum());
        assertThat(db.number("""
                        SELECT count(*) FROM account a WHERE cents <> 1000
                            + coalesce((SELECT sum(cents) FROM transfer WHERE payee = a.id), 0)
                            - coalesce((SELECT sum(cents) FROM transfer WHERE payer = a.id), 0)""")).as("accounts that differ from their ledger").isZero();
    }
}
