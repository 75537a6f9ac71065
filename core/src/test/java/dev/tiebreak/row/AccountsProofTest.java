package dev.tiebreak.row;

import dev.tiebreak.Key;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.testing.Db;
import dev.tiebreak.testing.Proving;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class AccountsProofTest extends Proving {
    private static final Table ACCOUNT = Table.of("account").keyedBy("id");
    private static final String RESET =
            "TRUNCATE account, transfer; INSERT INTO account VALUES (3, 100), (2, 100), (1, 100)";

    private final Accounts accounts =
            Accounts.of(ACCOUNT, "cents").ledger(Table.of("transfer"), "payer", "payee", "cents");

    AccountsProofTest(int major) throws SQLException {
        super(
                major,
                "CREATE TABLE account (id int PRIMARY KEY, cents bigint NOT NULL);"
                        + " CREATE TABLE transfer (payer int, payee int, cents bigint)");
    }

    private static Key account(int number) {
        return ACCOUNT.key("id", number);
    }

    /** 1 pays 2 pays 3 pays 1, or with two sessions 1 pays 2 and 2 pays 1: any fixed order of theirs would deadlock. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void move_inACircle_everyOrder_noDeadlockAndTheSumIsConstant(int sessions) {
        race(sessions, RESET, (source, who) -> Tx.on(source)
                        .call(c -> accounts.move(c, account(who), account(who % sessions + 1), 150)))
                .always("the sum is constant", "SELECT sum(cents) = 300 FROM account")
                .someoneWaits()
                .explore()
                .assertProved();
    }

    @Test
    void move_twiceTheLastOfIt_everyOrder_oneIsInsufficient() {
        race(2, RESET, (source, who) -> Tx.on(source).call(c -> accounts.move(c, account(1), account(who + 1), 70)))
                .always("nothing below zero", "SELECT min(cents) >= 0 FROM account")
                .invariant("one is booked", "SELECT count(*) = 1 FROM transfer")
                .explore()
                .assertProved();
    }

    @Test
    void twoUpdatesInOppositeOrder_areCaught() {
        assertCaught(race(2, RESET, (source, who) -> {
            try (Connection c = source.getConnection()) {
                c.setAutoCommit(false);
                Db.run(c, "UPDATE account SET cents = cents - 10 WHERE id = " + who);
                Db.run(c, "UPDATE account SET cents = cents + 10 WHERE id = " + (3 - who));
                c.commit();
                return true;
            }
        }));
    }

    @Test
    void readThenWrite_isCaught() {
        assertCaught(race(2, RESET, (source, who) -> {
            try (Connection c = source.getConnection()) {
                c.setAutoCommit(false);
                boolean enough = Db.number(c, "SELECT cents FROM account WHERE id = 1") >= 70;
                if (enough) {
                    Db.run(c, "UPDATE account SET cents = cents - 70 WHERE id = 1");
                    Db.run(c, "UPDATE account SET cents = cents + 70 WHERE id = " + (who + 1));
                }
                c.commit();
                return enough;
            }
        }));
    }
}
