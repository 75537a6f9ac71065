package dev.tiebreak.lock;

import dev.tiebreak.Tx;
import dev.tiebreak.prove.Proof;
import dev.tiebreak.schema.Schema;
import dev.tiebreak.testing.Db;
import dev.tiebreak.testing.Proving;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class LeasesProofTest extends Proving {
    private static final String OVER = "TRUNCATE tiebreak.lease, written RESTART IDENTITY;"
            + " INSERT INTO tiebreak.lease VALUES ('report', 1, 'ana', clock_timestamp() - interval '1 s')";
    private static final String HOLDERS =
            "SELECT token, holder FROM tiebreak.lease"; // `until` is another one in every run
    private static final String NEVER_BACK =
            "SELECT count(*) = 0 FROM written a JOIN written b ON a.id < b.id AND a.token > b.token";

    LeasesProofTest(int major) throws SQLException {
        super(major, Schema.standard().sql() + "CREATE TABLE written (id serial, token bigint)");
    }

    private static Leases leases(DataSource source, String holder) {
        return Leases.on(source).unrenewed().as(holder);
    }

    private static void write(Connection c, long token) throws SQLException {
        Db.run(c, "INSERT INTO written (token) VALUES (" + token + ")");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void hold_everyOrder_oneHolderAndTheOthersLearnWho(int sessions) {
        race(sessions, OVER, (source, who) -> {
                    Leases.Hold answer = leases(source, "nr " + who).hold("report");
                    return answer instanceof Leases.Hold.OwnedBy other ? "owned by " + other.holder() : word(answer);
                })
                .state(HOLDERS)
                .invariant("one token", "SELECT token = 2 FROM tiebreak.lease")
                .explore()
                .assertProved();
    }

    /** Ana was paused past her time and writes as if she still had the lease; Ben takes it over and writes. */
    private Proof pausedHolder(boolean fenced) {
        return race(2, OVER, (source, who) -> {
                    Lease lease = who == 1
                            ? new Lease(leases(source, "ana"), "report", 1, Instant.EPOCH, System.nanoTime())
                            : leases(source, "ben").hold("report").orRollback().lease();
                    return Tx.on(source).call(c -> {
                        boolean may = !fenced || lease.fence(c) instanceof Lease.Fence.Fenced;
                        if (may) {
                            write(c, lease.token());
                        }
                        return may;
                    });
                })
                .state(HOLDERS)
                .serialEquivalent(Proof.Serial.OFF)
                .invariant("no write of an earlier holder after one of a later", NEVER_BACK);
    }

    @Test
    void fence_holderPausedPastItsTime_everyOrder_neverWritesAfterItsSuccessor() {
        pausedHolder(true).someoneWaits().explore().assertProved();
    }

    @Test
    void withoutTheFence_isCaught() {
        assertCaught(pausedHolder(false));
    }
}
