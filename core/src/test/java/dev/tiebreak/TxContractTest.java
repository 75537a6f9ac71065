package dev.tiebreak;

import static dev.tiebreak.Db.number;
import static dev.tiebreak.Db.sql;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for a {@link Tx} however its connections are reached, on the oldest and the newest server. */
@ParameterizedClass
@MethodSource("everywhere")
class TxContractTest {
    private final Db.Reach reach;
    private final Db db;
    private final Tx tx;

    TxContractTest(int major, Db.Reach reach) {
        this.reach = reach;
        this.db = new Db(major, reach).with("CREATE TABLE t (id int PRIMARY KEY, who text DEFAULT '-')");
        this.tx = Tx.on(db.source);
    }

    static Stream<Arguments> everywhere() {
        return Stream.of(15, 18)
                .flatMap(major -> Arrays.stream(Db.Reach.values()).map(r -> Arguments.of(major, r)));
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void call_bodyReturns_commitsAndReturnsIt() {
        String answer = tx.call(c -> {
            sql(c, "INSERT INTO t VALUES (1)");
            return "done";
        });

        assertThat(answer).isEqualTo("done");
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void call_nothingIsRun_returns() {
        assertThat(tx.<Integer, RuntimeException>call(c -> 7)).isEqualTo(7);
    }

    @Test
    void call_statementPreparedButNeverRun_returns() {
        tx.run(c -> {
            try (PreparedStatement s = c.prepareStatement("INSERT INTO t VALUES (?)")) {
                assertThat(s.executeBatch()).isEmpty();
            }
            try (Statement s = c.createStatement()) {
                assertThat(s.executeBatch()).isEmpty();
            }
        });
    }

    @Test
    void call_checkedExceptionOfTheBody_comesOutTypedAndRollsBack() {
        IOException thrown = new IOException("no such file");

        IOException caught = catchThrowableOfType(IOException.class, () -> failing(thrown));

        assertThat(caught).isSameAs(thrown).hasNoSuppressedExceptions();
        assertThat(rows()).isZero();
    }

    /** Compiles only because the body's exception is the only checked one. */
    private void failing(IOException thrown) throws IOException {
        tx.run(c -> {
            sql(c, "INSERT INTO t VALUES (1)");
            throw thrown;
        });
    }

    @Test
    void call_lost_comesOutAndRollsBack() {
        record SoldOut(int left) {}

        assertThatThrownBy(() -> tx.run(c -> {
                    sql(c, "INSERT INTO t VALUES (1)");
                    throw new Lost(new SoldOut(0));
                }))
                .isInstanceOfSatisfying(Lost.class, e -> assertThat(e.outcome()).isEqualTo(new SoldOut(0)));
        assertThat(rows()).isZero();
    }

    @Test
    void call_error_comesOutAndRollsBack() {
        assertThatThrownBy(() -> tx.run(c -> {
                    sql(c, "INSERT INTO t VALUES (1)");
                    throw new AssertionError("broken");
                }))
                .isInstanceOf(AssertionError.class);
        assertThat(rows()).isZero();
    }

    @Test
    void call_statementFails_throwsFailedWithTheStateAndTheCause() {
        db.run("INSERT INTO t VALUES (1)");

        assertThatThrownBy(() -> tx.run(c -> {
                    sql(c, "INSERT INTO t VALUES (2)");
                    sql(c, "INSERT INTO t VALUES (1)");
                }))
                .isInstanceOfSatisfying(TxException.Failed.class, e -> {
                    assertThat(e.sqlState()).isEqualTo("23505");
                    assertThat(e.attempts()).isEqualTo(1);
                    assertThat(e).hasCauseInstanceOf(SQLException.class).hasMessageContaining("t_pkey");
                });
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void call_swallowedError_isNotCommittedAndNamesTheSwallowedOne() {
        db.run("INSERT INTO t VALUES (1)");

        assertThatThrownBy(() -> tx.call(c -> {
                    sql(c, "INSERT INTO t VALUES (2)");
                    swallow(c, "INSERT INTO t VALUES (1)");
                    return "as if all were well";
                }))
                .isInstanceOfSatisfying(TxException.NotCommitted.class, e -> {
                    assertThat(e.sqlState()).isEqualTo("23505");
                    assertThat(e.getCause())
                            .isInstanceOfSatisfying(SQLException.class, cause -> assertThat(cause.getSQLState())
                                    .isEqualTo("23505"));
                    assertThat(e).hasMessageContaining("savepoint");
                });
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void call_swallowedErrorThenEcho_reportsTheFirstError() {
        db.run("INSERT INTO t VALUES (1)");

        assertThatThrownBy(() -> tx.run(c -> {
                    swallow(c, "INSERT INTO t VALUES (1)");
                    sql(c, "SELECT 1"); // 25P02
                }))
                .isInstanceOfSatisfying(TxException.Failed.class, e -> {
                    assertThat(e.sqlState()).isEqualTo("23505");
                    assertThat(e.getCause()).hasMessageContaining("t_pkey");
                });
    }

    @Test
    void call_swallowedErrorAndSwallowedEcho_isNotCommittedBecauseOfTheFirst() {
        db.run("INSERT INTO t VALUES (1)");

        assertThatThrownBy(() -> tx.run(c -> {
                    swallow(c, "INSERT INTO t VALUES (1)");
                    swallow(c, "SELECT 1");
                }))
                .isInstanceOfSatisfying(TxException.NotCommitted.class, e -> assertThat(e.sqlState())
                        .isEqualTo("23505"));
    }

    @Test
    void call_errorRolledBackToASavepoint_commitsTheRest() {
        db.run("INSERT INTO t VALUES (1)");

        tx.run(c -> {
            sql(c, "INSERT INTO t VALUES (2)");
            Savepoint before = c.setSavepoint();
            swallow(c, "INSERT INTO t VALUES (1)");
            c.rollback(before);
            sql(c, "INSERT INTO t VALUES (3)");
        });

        assertThat(rows()).isEqualTo(3);
    }

    @Test
    void call_errorRolledBackToASavepointInSql_commitsTheRest() {
        db.run("INSERT INTO t VALUES (1)");

        tx.run(c -> {
            sql(c, "SAVEPOINT s");
            swallow(c, "INSERT INTO t VALUES (1)");
            sql(c, "ROLLBACK TO SAVEPOINT s");
            sql(c, "INSERT INTO t VALUES (2)");
        });

        assertThat(rows()).isEqualTo(2);
    }

    @Test
    void call_deferredConstraintFailsAtCommit_throwsItAndNothingIsThere() {
        db.run("CREATE TABLE child (t int REFERENCES t DEFERRABLE INITIALLY DEFERRED)");

        assertThatThrownBy(() -> tx.run(c -> sql(c, "INSERT INTO child VALUES (7)")))
                .isInstanceOfSatisfying(
                        TxException.Failed.class, e -> assertThat(e.sqlState()).isEqualTo("23503"));
        assertThat(db.number("SELECT count(*) FROM child")).isZero();
    }

    @Test
    void call_manyStatements_usesNoSubtransaction() {
        tx.run(c -> {
            try (PreparedStatement s = c.prepareStatement("INSERT INTO t VALUES (?)")) {
                for (int i = 0; i < 100; i++) {
                    s.setInt(1, i);
                    assertThat(s.executeUpdate()).isEqualTo(1);
                }
            }
        });

        assertThat(db.number("SELECT count(DISTINCT xmin::text) FROM t")).isEqualTo(1);
        assertThat(rows()).isEqualTo(100);
    }

    @Test
    void call_wrongTable_isNamedInTheError() {
        assertThatThrownBy(() -> tx.run(c -> sql(c, "INSERT INTO \"tt\" VALUES (7)")))
                .isInstanceOf(TxException.Failed.class)
                .hasMessageContaining("\"tt\"");
    }

    @Test
    void connectionAfterwards_isFree() throws SQLException {
        for (String insert : new String[] {"INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1)", "nonsense"}) {
            try {
                tx.run(c -> sql(c, insert));
            } catch (TxException.Failed expected) {
                assertThat(expected.sqlState()).isIn("23505", "42601");
            }
        }

        try (Connection c = db.source.getConnection()) {
            assertThat(c.getAutoCommit()).isEqualTo(reach != Db.Reach.POOL_WITHOUT_AUTO_COMMIT);
            assertThat(number(c, "SELECT count(*) FROM t")).isEqualTo(1);
        }
        assertThat(db.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND state LIKE 'idle in transaction%'"))
                .isZero();
    }

    /** Careless code in another method, on a statement of its own. */
    private static void swallow(Connection c, String sql) {
        try {
            sql(c, sql);
        } catch (SQLException swallowed) {
            assertThat(swallowed.getSQLState()).isIn("23505", "25P02");
        }
    }

    private long rows() {
        return db.number("SELECT count(*) FROM t");
    }
}
