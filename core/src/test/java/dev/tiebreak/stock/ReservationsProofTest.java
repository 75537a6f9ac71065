package dev.tiebreak.stock;

import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.prove.Proof;
import dev.tiebreak.schema.Schema;
import dev.tiebreak.testing.Db;
import dev.tiebreak.testing.Proving;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class ReservationsProofTest extends Proving {
    private static final UUID ID = new UUID(1, 1);
    private static final String RESET = "TRUNCATE shelf, tiebreak.reservation; INSERT INTO shelf VALUES (7, 8);"
            + " INSERT INTO tiebreak.reservation VALUES ('" + ID + "', 'public.shelf.qty', '{7}', 2,"
            + " clock_timestamp() + interval '1 hour', 'held')";
    private static final String OVER = RESET + "; UPDATE tiebreak.reservation SET until = clock_timestamp()";
    private static final String STATE = "SELECT s.qty, r.state FROM shelf s, tiebreak.reservation r";
    private static final String SOLD_OR_BACK = "SELECT s.qty = CASE r.state WHEN 'confirmed' THEN 8 WHEN 'held' THEN 8"
            + " ELSE 10 END FROM shelf s, tiebreak.reservation r";

    private final Reservations carts =
            Reservations.of(Stock.of(Table.of("shelf").keyedBy("item"), "qty"));

    ReservationsProofTest(int major) throws SQLException {
        super(major, Schema.standard().sql() + "CREATE TABLE shelf (item int PRIMARY KEY, qty int NOT NULL)");
        Reservations.Cancel unused =
                Tx.on(db.source()).call(c -> carts.cancel(c, ID)); // asks the catalog, which happens once
    }

    private Object confirm(DataSource source) {
        return Tx.on(source).call(c -> carts.confirm(c, ID));
    }

    private Object cancel(DataSource source) {
        return Tx.on(source).call(c -> carts.cancel(c, ID));
    }

    private Object expire(DataSource source) {
        return Tx.on(source).call(c -> carts.expire(c, 10));
    }

    private Proof proof(String reset) {
        return race(0, reset, (source, who) -> who).state(STATE).invariant("sold once or back once", SOLD_OR_BACK);
    }

    @Test
    void confirmCancelAndCancel_everyOrder_oneHasIt() {
        proof(RESET)
                .session("confirm", this::confirm)
                .session("cancel", this::cancel)
                .session("again", this::cancel)
                .someoneWaits()
                .explore()
                .assertProved();
    }

    @Test
    void confirmCancelAndSweep_theTimeIsOver_everyOrder_unitsAreBackOnce() {
        proof(OVER)
                .session("confirm", this::confirm)
                .session("cancel", this::cancel)
                .session("sweep", this::expire)
                .explore()
                .assertProved();
    }

    @Test
    void twoSweepsAndACancel_everyOrder_unitsAreBackOnce() {
        proof(OVER)
                .session("sweep", this::expire)
                .session("other", this::expire)
                .session("cancel", this::cancel)
                .explore()
                .assertProved();
    }

    @Test
    void lookThenGiveBack_isCaught() {
        Proof.Session naive = source -> Tx.on(source).call(c -> {
            boolean held = Db.number(c, "SELECT count(*) FROM tiebreak.reservation WHERE state = 'held'") == 1;
            if (held) {
                Db.run(c, "UPDATE shelf SET qty = qty + 2");
                Db.run(c, "UPDATE tiebreak.reservation SET state = 'expired'");
            }
            return held;
        });
        assertCaught(proof(OVER).session("sweep", naive).session("cancel", naive));
    }
}
