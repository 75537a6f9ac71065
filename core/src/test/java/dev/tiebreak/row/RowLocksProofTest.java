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
class RowLocksProofTest extends Proving {
    private static final Table ITEM = Table.of("item").keyedBy("id");
    private static final String RESET = "TRUNCATE item; INSERT INTO item VALUES (2, 0), (1, 0)";

    RowLocksProofTest(int major) throws SQLException {
        super(major, "CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL)");
    }

    private static Key item(int id) {
        return ITEM.key("id", id);
    }

    /** What is read under the locks and written back: the one place where that is right. */
    private static long swapAndCount(Connection c) throws SQLException {
        long n = Db.number(c, "SELECT sum(n) FROM item");
        Db.run(c, "UPDATE item SET n = " + (n + 1) + " WHERE id = 1");
        return n;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void hold_inOppositeOrders_everyOrder_noDeadlockAndNoLostCount(int sessions) {
        RowLocks locks = RowLocks.inOrder(ITEM);
        race(sessions, RESET, (source, who) -> Tx.on(source).call(c -> {
                    locks.hold(c, item(1 + who % 2), item(2 - who % 2)).orRollback();
                    return swapAndCount(c);
                }))
                .invariant("every count counts", "SELECT sum(n) = " + sessions + " FROM item")
                .someoneWaits()
                .explore()
                .assertProved();
    }

    @Test
    void oneByOneInOppositeOrders_isCaught() {
        assertCaught(race(2, RESET, (source, who) -> Tx.on(source).call(c -> {
            Db.run(c, "SELECT FROM item WHERE id = " + who + " FOR NO KEY UPDATE");
            Db.run(c, "SELECT FROM item WHERE id = " + (3 - who) + " FOR NO KEY UPDATE");
            return swapAndCount(c);
        })));
    }

    @Test
    void withoutLocks_isCaught() {
        assertCaught(race(2, RESET, (source, who) -> Tx.on(source).call(RowLocksProofTest::swapAndCount)));
    }
}
