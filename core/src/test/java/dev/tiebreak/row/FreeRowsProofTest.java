package dev.tiebreak.row;

import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.prove.Proof;
import dev.tiebreak.testing.Db;
import dev.tiebreak.testing.Proving;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class FreeRowsProofTest extends Proving {
    private static final Table SEAT = Table.of("seat").keyedBy("id");
    private static final String ONE_OWNER_EACH = "SELECT count(*) = sum(times) FROM seat WHERE owner IS NOT NULL";

    private final FreeRows<Integer> seats = FreeRows.of(SEAT)
            .where("owner IS NULL")
            .orderBy("id")
            .setSql("times", "t.times + 1")
            .attempts(1)
            .returning(List.of("id"), row -> row.getInt(1));

    FreeRowsProofTest(int major) throws SQLException {
        super(
                major,
                "CREATE TABLE seat (id int PRIMARY KEY, owner int, times int NOT NULL DEFAULT 0);"
                        + " CREATE TABLE invoice (no int PRIMARY KEY, by int)");
    }

    private static String rows(int count) {
        return "TRUNCATE seat; INSERT INTO seat (id) SELECT generate_series(1, " + count + ")";
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void claim_aRowForEach_everyOrder_eachHasItsOwnAndNobodyWaits(int sessions) {
        race(sessions, rows(sessions), (source, who) -> Tx.on(source)
                        .call(c -> seats.set("owner", who).claim(c).orRollback())
                        .rows())
                .invariant("all are claimed once", ONE_OWNER_EACH + " HAVING count(*) = " + sessions)
                .explore()
                .assertProved();
    }

    /** Who finds the only row held is told Busy, which no order of whole transactions would tell. */
    @Test
    void claim_oneRowForTwo_everyOrder_oneHasItOnce() {
        race(
                        2,
                        rows(1),
                        (source, who) ->
                                outcome(source, c -> seats.set("owner", who).claim(c)))
                .serialEquivalent(Proof.Serial.OFF)
                .invariant("claimed once", ONE_OWNER_EACH + " HAVING count(*) = 1")
                .explore()
                .assertProved();
    }

    /** An update that waited for the first give-back, and missed, holds the row: the third is told Busy then. */
    @Test
    void giveBack_twiceBesideAClaim_everyOrder_freesItOnce() {
        race(
                        3,
                        "TRUNCATE seat; INSERT INTO seat VALUES (1, 9, 1)",
                        (source, who) -> who == 3
                                ? outcome(source, c -> seats.set("owner", 3).claim(c))
                                : outcome(source, c -> seats.set("owner", 9)
                                        .backTo("owner", null)
                                        .giveBack(c, SEAT.key("id", 1))))
                .serialEquivalent(Proof.Serial.OFF)
                .invariant("not taken from the third", "SELECT owner IS NULL OR owner = 3 FROM seat")
                .explore()
                .assertProved();
    }

    @Test
    void selectThenUpdate_isCaught() {
        assertCaught(race(2, rows(2), (source, who) -> {
            try (Connection c = source.getConnection()) {
                c.setAutoCommit(false);
                long first = Db.number(c, "SELECT min(id) FROM seat WHERE owner IS NULL");
                Db.run(c, "UPDATE seat SET owner = " + who + ", times = times + 1 WHERE id = " + first);
                c.commit();
                return first;
            }
        }));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void number_everyOrder_noneTwiceAndNoGap(int sessions) {
        FreeNumbers numbers = FreeNumbers.of(Table.of("invoice").keyedBy("no"), "no");
        race(sessions, "TRUNCATE invoice", (source, who) -> Tx.on(source)
                        .call(c -> numbers.claim(c, Map.of(), Map.of("by", who)).orRollback())
                        .number())
                .invariant("no gap", "SELECT count(*) = " + sessions + " AND max(no) = " + sessions + " FROM invoice")
                .someoneWaits()
                .explore()
                .assertProved();
    }

    @Test
    void maxPlusOne_isCaught() {
        assertCaught(race(2, "TRUNCATE invoice", (source, who) -> {
            try (Connection c = source.getConnection()) {
                c.setAutoCommit(false);
                Db.run(c, "INSERT INTO invoice SELECT coalesce(max(no), 0) + 1, " + who + " FROM invoice");
                c.commit();
                return true;
            }
        }));
    }
}
