package dev.tiebreak.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.TxException;
import dev.tiebreak.testing.Db;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class FreeRowsReturningTest {
    private static final Table JOB = Table.of("job").keyedBy("queue", "id");

    private record Job(long id, String payload, String status) {}

    private final Db db;
    private final Tx tx;
    private final FreeRows<Key> free = FreeRows.of(JOB)
            .where("queue = ? AND status = ?", "mail", "pending")
            .orderBy("priority DESC, id")
            .set("status", "running")
            .backTo("status", "pending");
    private final FreeRows<Job> jobs = free.returning(
            List.of("id", "payload", "status"),
            row -> new Job(row.getLong("id"), row.getString("payload"), row.getString("status")));

    FreeRowsReturningTest(int major) {
        this.db = Db.on(major);
        this.tx = Tx.on(db.source());
    }

    @BeforeEach
    void tables() throws SQLException {
        db.run("CREATE TYPE status AS ENUM ('pending', 'running');"
                + " CREATE TABLE job (queue text, id int, priority int NOT NULL DEFAULT 0, payload jsonb,"
                + " status status NOT NULL DEFAULT 'pending', PRIMARY KEY (queue, id))");
    }

    private void jobs(int count) throws SQLException {
        db.run("INSERT INTO job (queue, id, priority, payload) SELECT 'mail', i, i / 10, to_jsonb(i) FROM"
                + " generate_series(1, " + count + ") i");
    }

    private Object outcome(Tx.Body<?, RuntimeException> body) {
        return tx.call(body);
    }

    @Test
    void claim_upToN_inOrderAndAsTheMapperSays() throws SQLException {
        jobs(12);
        FreeRows.Claim.Claimed<Job> won = tx.call(c -> jobs.claim(c, 4).orRollback());
        assertThat(won.rows())
                .containsExactly(
                        new Job(10, "10", "running"),
                        new Job(11, "11", "running"),
                        new Job(12, "12", "running"),
                        new Job(1, "1", "running"));
        assertThat(won.row().id()).isEqualTo(10);
    }

    @Test
    void claim_withoutMapper_keys() throws SQLException {
        jobs(1);
        assertThat(tx.call(c -> free.claim(c).orRollback()).row()).isEqualTo(JOB.key("queue", "mail", "id", 1));
        assertThat(outcome(free::claim)).isEqualTo(new FreeRows.Claim.NoneFree<Key>());
    }

    @Test
    void claim_underStaleStatistics_neverMoreThanN() throws SQLException {
        jobs(1);
        db.run("ANALYZE job; TRUNCATE job");
        jobs(50);
        FreeRows.Claim.Claimed<Job> won = tx.call(c -> jobs.claim(c, 5).orRollback());
        assertThat(won.rows()).hasSize(5);
        assertThat(db.number("SELECT count(*) FROM job WHERE status = 'running'"))
                .isEqualTo(5);
    }

    @Test
    void claim_anotherHoldsTheBest_isSkippedAndOneRowIsLocked() throws SQLException {
        jobs(3);
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            assertThat(jobs.claim(c, 1).orRollback().row().id()).isEqualTo(1);
            assertThat(jobs.claim(d, 1).orRollback().row().id()).isEqualTo(2);
            assertThat(jobs.claim(d, 9).orRollback().rows()).hasSize(1);
            assertThat((Object) jobs.claim(d, 1)).as("the rest is held").isInstanceOf(FreeRows.Claim.Busy.class);
        }
    }

    @Test
    void orderBy_withAValue_claimsTheNearest() throws SQLException {
        jobs(9);
        FreeRows<Job> nearest = jobs.orderBy("abs(id - ?) -- the nearest", 6);
        assertThat(tx.call(c -> nearest.claim(c, 2).orRollback()).rows())
                .extracting(Job::id)
                .first()
                .isEqualTo(6L);
    }

    @Test
    void setSql_expressions_areComputedFromTheRowAndNotComparedWhenItIsGivenBack() throws SQLException {
        jobs(2);
        db.run("UPDATE job SET priority = id * 10");
        FreeRows<Key> raised = free.setSql("priority", "t.priority + ? -- raised", 7);
        Key row = tx.call(c -> raised.claim(c).orRollback()).row();
        assertThat(db.number("SELECT priority FROM job WHERE id = 2")).isEqualTo(27);
        assertThat(outcome(c -> raised.giveBack(c, row))).isEqualTo(new FreeRows.GiveBack.GivenBack(row));
    }

    @Test
    void claim_ofATableWhoseColumnsHaveTheNamesThatTheStatementUses_works() throws SQLException {
        db.run("CREATE TABLE t (free int PRIMARY KEY, numbered int, place int, claimed int, k1 int);"
                + " INSERT INTO t VALUES (1, 2, 3, 4, 5)");
        FreeRows<Key> odd = FreeRows.of(Table.of("t").keyedBy("free"))
                .where("claimed = ? AND numbered = 2", 4)
                .orderBy("place, k1")
                .set("claimed", 0)
                .setSql("k1", "t.k1 + place + numbered");
        tx.run(c -> odd.claim(c).orRollback());
        assertThat(db.number("SELECT k1 FROM t WHERE claimed = 0")).isEqualTo(10);
    }

    @Test
    void claim_mapperThrows_comesOutAndTheRollbackFreesTheRow() throws SQLException {
        jobs(1);
        FreeRows<String> wrong = free.returning(List.of("payload"), row -> row.getString("pay_load"));
        assertThatThrownBy(() -> tx.run(c -> wrong.claim(c).orRollback()))
                .isInstanceOf(TxException.class)
                .hasMessageContaining("pay_load");
        assertThat(db.number("SELECT count(*) FROM job WHERE status = 'pending'"))
                .isEqualTo(1);
    }

    @Test
    void giveBack_onceAndOnlyByWhoHasIt() throws SQLException {
        jobs(1);
        Key row = tx.call(c -> free.claim(c).orRollback()).row();
        assertThat(outcome(c -> jobs.giveBack(c, row))).isInstanceOf(FreeRows.GiveBack.GivenBack.class);
        assertThat(outcome(c -> jobs.giveBack(c, row))).isInstanceOf(FreeRows.GiveBack.Absent.class);
        assertThat(outcome(free::claim)).isInstanceOf(FreeRows.Claim.Claimed.class);
    }

    @Test
    void orRollback_noneFree_earlierWritesAreGone() throws SQLException {
        jobs(1);
        assertThatThrownBy(() -> tx.run(c -> {
                    free.claim(c).orRollback();
                    free.claim(c).orRollback();
                }))
                .isInstanceOf(Lost.class);
        assertThat(db.number("SELECT count(*) FROM job WHERE status = 'pending'"))
                .isEqualTo(1);
    }

    @Test
    void selectThenUpdate_twoAtOnce_bothHaveTheSameRow() throws SQLException {
        jobs(2);
        String first = "SELECT id FROM job WHERE status = 'pending' ORDER BY id LIMIT 1";
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            assertThat(Db.number(c, first)).isEqualTo(Db.number(d, first));
            Db.run(c, "UPDATE job SET status = 'running' WHERE id = 1");
            c.commit();
            Db.run(d, "UPDATE job SET status = 'running' WHERE id = 1");
            d.commit();
        }
        assertThat(db.number("SELECT count(*) FROM job WHERE status = 'running'"))
                .as("the broken variant: two claims, one row")
                .isEqualTo(1);
    }

    @Test
    void claim_underLoadWithRollbacks_everyRowOnce() throws Exception {
        jobs(200);
        List<List<Long>> won = Db.together(8, () -> {
            Tx mine = Tx.on(db.kept());
            List<Long> ids = new ArrayList<>();
            while (true) {
                boolean rollBack = ThreadLocalRandom.current().nextInt(4) == 0;
                try {
                    FreeRows.Claim<Job> answer = mine.call(c -> {
                        FreeRows.Claim<Job> a = jobs.claim(c, 3);
                        if (rollBack) {
                            throw new IllegalStateException("changed my mind");
                        }
                        return a;
                    });
                    if (answer instanceof FreeRows.Claim.Claimed<Job> claimed) {
                        claimed.rows().forEach(job -> ids.add(job.id()));
                    } else if (answer instanceof FreeRows.Claim.NoneFree<Job>) {
                        return ids;
                    }
                } catch (IllegalStateException expected) {
                    assertThat(expected).hasMessage("changed my mind");
                }
            }
        });
        List<Long> all = won.stream().flatMap(List::stream).toList();
        assertThat(all).hasSize(200);
        assertThat(new HashSet<>(all)).hasSize(200);
    }
}
