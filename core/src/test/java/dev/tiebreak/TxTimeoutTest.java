package dev.tiebreak;

import static dev.tiebreak.Db.number;
import static dev.tiebreak.Db.sql;
import static dev.tiebreak.Db.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Three kinds of "too slow", three verdicts. */
@ParameterizedClass
@MethodSource("everywhere")
class TxTimeoutTest {
    private final Db db;
    private final Tx tx;

    TxTimeoutTest(int major, Db.Reach reach) {
        db = new Db(major, reach).with("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)");
        tx = Tx.on(db.source);
    }

    static Stream<Arguments> everywhere() {
        return Stream.of(
                Arguments.of(15, Db.Reach.POOL),
                Arguments.of(18, Db.Reach.POOL),
                Arguments.of(18, Db.Reach.PLAIN),
                Arguments.of(18, Db.Reach.OPAQUE));
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void within_lockHeldBySomebodyElse_isLockNotAvailable() throws SQLException {
        try (Connection holder = Db.plain(db.url).getConnection()) {
            holder.setAutoCommit(false);
            sql(holder, "SELECT * FROM t FOR UPDATE");

            assertThatThrownBy(() -> tx.within(Duration.ofMillis(300)).run(c -> sql(c, "UPDATE t SET id = 2")))
                    .isInstanceOfSatisfying(TxException.LockNotAvailable.class, e -> assertThat(e.sqlState())
                            .isEqualTo("55P03"));
        }
    }

    @Test
    void nowait_lockHeldBySomebodyElse_isLockNotAvailable() throws SQLException {
        try (Connection holder = Db.plain(db.url).getConnection()) {
            holder.setAutoCommit(false);
            sql(holder, "SELECT * FROM t FOR UPDATE");

            assertThatThrownBy(() -> tx.run(c -> sql(c, "SELECT * FROM t FOR UPDATE NOWAIT")))
                    .isInstanceOf(TxException.LockNotAvailable.class);
        }
    }

    @Test
    void within_statementTooSlow_isStatementCancelled() {
        assertThatThrownBy(() -> tx.within(Duration.ofMillis(300)).run(c -> sql(c, "SELECT pg_sleep(60)")))
                .isInstanceOfSatisfying(TxException.StatementCancelled.class, e -> assertThat(e.sqlState())
                        .isEqualTo("57014"));
    }

    @Test
    void queryTimeoutOfTheStatement_isStatementCancelled() {
        assertThatThrownBy(() -> tx.run(c -> {
                    try (Statement s = c.createStatement()) {
                        s.setQueryTimeout(1);
                        s.execute("SELECT pg_sleep(60)");
                    }
                }))
                .isInstanceOf(TxException.StatementCancelled.class);
    }

    @Test
    void within_bodyIdleTooLong_isIdleTooLongAtTheNextStatement() {
        assertThatThrownBy(() -> tx.within(Duration.ofMillis(300)).run(c -> {
                    idleUntilEnded(c);
                    sql(c, "SELECT 1");
                }))
                .isInstanceOfSatisfying(TxException.IdleTooLong.class, e -> assertThat(e.sqlState())
                        .isEqualTo("25P03"));
    }

    /** The server ended the session before COMMIT reached it: the outcome is known. */
    @Test
    void within_bodyIdleTooLongBeforeCommit_isIdleTooLongAndNothingIsThere() {
        assertThatThrownBy(() -> tx.within(Duration.ofMillis(300)).run(c -> {
                    sql(c, "INSERT INTO t VALUES (2)");
                    idleUntilEnded(c);
                }))
                .isInstanceOfSatisfying(TxException.IdleTooLong.class, e -> assertThat(e.sqlState())
                        .isEqualTo("25P03"));
        assertThat(db.number("SELECT count(*) FROM t")).isEqualTo(1);
    }

    private void idleUntilEnded(Connection c) throws SQLException {
        long pid = number(c, "SELECT pg_backend_pid()");
        db.await("SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = " + pid + ")");
    }

    @Test
    void transactionTimeoutOfTheServer_isIdleTooLong() {
        if (db.number("SELECT current_setting('server_version_num')") < 170_000) {
            assertThatThrownBy(() -> tx.run(c -> sql(c, "SET LOCAL transaction_timeout = 50")))
                    .isInstanceOf(TxException.Failed.class);
            return;
        }
        assertThatThrownBy(() -> tx.run(c -> {
                    sql(c, "SET LOCAL transaction_timeout = 50");
                    sql(c, "SELECT pg_sleep(60)");
                }))
                .isInstanceOfSatisfying(TxException.IdleTooLong.class, e -> assertThat(e.sqlState())
                        .isEqualTo("25P04"));
    }

    @Test
    void within_inTheBody_boundsLocksBeforeStatementsAndIsGoneAfterwards() throws SQLException {
        String limits = "SELECT string_agg(setting, ' ' ORDER BY name) FROM pg_settings WHERE name IN"
                + " ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout')";
        String inside = tx.within(Duration.ofSeconds(60)).call(c -> text(c, limits));
        assertThat(inside.split(" "))
                .satisfiesExactly(
                        idle -> assertThat(Integer.parseInt(idle)).isBetween(50_000, 60_000),
                        lock -> assertThat(Integer.parseInt(lock)).isBetween(45_000, 54_000),
                        statement -> assertThat(Integer.parseInt(statement)).isBetween(50_000, 60_000));
        assertThatThrownBy(() -> tx.within(Duration.ofSeconds(60)).run(c -> sql(c, "nonsense")))
                .isInstanceOf(TxException.Failed.class);

        assertThat(tx.<String, SQLException>call(c -> text(c, limits))).isEqualTo("0 0 0");
    }

    @Test
    void within_lessThanAMillisecond_isRefused() {
        assertThatThrownBy(() -> tx.within(Duration.ofNanos(999_999)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1 ms")
                .hasMessageContaining("PT0.000999999S");
    }
}
