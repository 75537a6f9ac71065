package dev.tiebreak.row;

import dev.tiebreak.Key;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.testing.Db;
import dev.tiebreak.testing.Proving;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class ClaimsProofTest extends Proving {
    private static final Table CLAIM = Table.of("claim").keyedBy("job");
    private static final Key JOB = CLAIM.key("job", 7);
    private static final String OWNERS = "SELECT job, owner FROM claim"; // a version is another one in every run

    private final Claims<Long> board = Claims.of(CLAIM, "owner", Long.class, "version");

    ClaimsProofTest(int major) throws SQLException {
        super(major, """
                CREATE TABLE claim (job bigint PRIMARY KEY, owner bigint NOT NULL, version bigint NOT NULL);
                CREATE TABLE job (id bigint PRIMARY KEY, owner bigint)""");
    }

    private String claim(DataSource source, long who) {
        Claims.Claim<Long> answer = Tx.on(source).call(c -> board.claim(c, JOB, who));
        return answer instanceof Claims.Claim.OwnedBy<Long> other ? "owned by " + other.holder() : word(answer);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void claim_everyOrder_oneHasItAndTheOthersLearnWho(int sessions) {
        race(sessions, "TRUNCATE claim", this::claim)
                .state(OWNERS)
                .invariant("one owner", "SELECT count(*) = 1 FROM claim")
                .someoneWaits()
                .explore()
                .assertProved();
    }

    @Test
    void claim_whileTheHolderLetsGo_everyOrder_isNeverToldNoRow() {
        race(
                        2,
                        "TRUNCATE claim; INSERT INTO claim VALUES (7, 1, 5)",
                        (source, who) -> who == 1 ? outcome(source, c -> board.release(c, JOB, 5)) : claim(source, who))
                .state(OWNERS)
                .explore()
                .assertProved();
    }

    @Test
    void reassign_besideAnotherAndARelease_everyOrder_oneWins() {
        race(
                        3,
                        "TRUNCATE claim; INSERT INTO claim VALUES (7, 9, 5)",
                        (source, who) -> who == 3
                                ? outcome(source, c -> board.release(c, JOB, 5))
                                : outcome(source, c -> board.reassign(c, JOB, 5, (long) who)))
                .state(OWNERS)
                .explore()
                .assertProved();
    }

    @Test
    void lookThenWrite_isCaught() {
        assertCaught(race(2, "TRUNCATE job; INSERT INTO job VALUES (7, NULL)", (source, who) -> {
            try (Connection c = source.getConnection()) {
                c.setAutoCommit(false);
                boolean free = Db.number(c, "SELECT count(*) FROM job WHERE id = 7 AND owner IS NULL") == 1;
                if (free) {
                    Db.run(c, "UPDATE job SET owner = " + who + " WHERE id = 7");
                }
                c.commit();
                return free;
            }
        }));
    }
}
