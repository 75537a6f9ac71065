package dev.tiebreak.lock;

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
class AdvisoryLockProofTest extends Proving {
    private static final AdvisoryLock ROOMS = AdvisoryLock.of("rooms");
    private static final String RESET = "TRUNCATE booking";
    private static final String ONE_GUEST = "SELECT count(*) = 1 FROM booking";

    AdvisoryLockProofTest(int major) throws SQLException {
        super(major, "CREATE TABLE booking (room int, night date, guest int)");
    }

    private static boolean book(Connection c, int guest, String strength) throws SQLException {
        boolean free = Db.number(
                        c,
                        "SELECT count(*) FROM (SELECT FROM booking WHERE room = 7 AND night = '2026-11-30'" + strength
                                + ") taken")
                == 0;
        if (free) {
            Db.run(c, "INSERT INTO booking VALUES (7, '2026-11-30', " + guest + ")");
        }
        return free;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void hold_everyOrder_onlyOneBooks(int sessions) {
        race(sessions, RESET, (source, who) -> Tx.on(source).call(c -> {
                    ROOMS.hold(c, "7/2026-11-30").orRollback();
                    return book(c, who, "");
                }))
                .invariant("one guest", ONE_GUEST)
                .someoneWaits()
                .explore()
                .assertProved();
    }

    @Test
    void hold_severalInOppositeOrders_everyOrder_noDeadlock() {
        race(2, RESET, (source, who) -> Tx.on(source).call(c -> {
                    ROOMS.hold(c, "room " + who, "room " + (3 - who)).orRollback();
                    return book(c, who, "");
                }))
                .invariant("one guest", ONE_GUEST)
                .explore()
                .assertProved();
    }

    @Test
    void forUpdateThatFindsNoRow_isCaught() {
        assertCaught(race(2, RESET, (source, who) -> Tx.on(source).call(c -> book(c, who, " FOR UPDATE"))));
    }

    @Test
    void unlockedBeforeTheCommit_isCaught() {
        assertCaught(race(2, RESET, (source, who) -> {
            try (Connection c = source.getConnection()) {
                c.setAutoCommit(false);
                Db.run(c, "SELECT pg_advisory_lock(7)");
                boolean booked = book(c, who, "");
                Db.run(c, "SELECT pg_advisory_unlock(7)");
                c.commit();
                return booked;
            }
        }));
    }
}
