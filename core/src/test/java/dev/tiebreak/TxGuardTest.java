package dev.tiebreak;

import static dev.tiebreak.Db.sql;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.PGConnection;

/** A body may not end its transaction, by whichever way. */
class TxGuardTest {
    private final Db db = new Db(18, Db.Reach.POOL).with("CREATE TABLE t (id int PRIMARY KEY)");
    private final Tx tx = Tx.on(db.source);

    @AfterEach
    void close() {
        db.close();
    }

    record Way(String name, Tx.Work<RuntimeException> end) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Way> ways() {
        return Stream.of(
                new Way("commit()", Connection::commit),
                new Way("rollback()", Connection::rollback),
                new Way("close()", Connection::close),
                new Way("abort()", c -> c.abort(Runnable::run)),
                new Way("auto-commit", c -> c.setAutoCommit(true)),
                new Way("SQL", c -> sql(c, "COMMIT")),
                new Way("SQL behind a comment", c -> sql(c, "/* it's done */ -- so\n commit work")),
                new Way(
                        "several statements",
                        c -> sql(c, "INSERT INTO t VALUES (2); COMMIT; INSERT INTO t VALUES (3)")),
                new Way("chain", c -> sql(c, "INSERT INTO t VALUES (2); COMMIT AND CHAIN")),
                new Way("prepared", c -> {
                    try (PreparedStatement s = c.prepareStatement("COMMIT")) {
                        s.execute();
                    }
                }),
                new Way("through the statement's connection", c -> {
                    try (Statement s = c.createStatement()) {
                        s.getConnection().commit();
                    }
                }),
                new Way("in a batch", c -> {
                    try (Statement s = c.createStatement()) {
                        s.addBatch("INSERT INTO t VALUES (2)");
                        s.addBatch("END");
                        assertThat(s.executeBatch()).hasSize(2);
                    }
                }));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void bodyEndsItsTransaction_isRefusedAndNothingIsThere(Way way) {
        assertThatThrownBy(() -> tx.run(c -> {
                    sql(c, "INSERT INTO t VALUES (1)");
                    way.end().run(c);
                    sql(c, "INSERT INTO t VALUES (4)");
                }))
                .isInstanceOf(TxException.Misuse.class)
                .hasMessageContaining("nothing was committed");
        assertThat(db.number("SELECT count(*) FROM t")).isZero();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void bodyEndsItsTransactionAndSwallowsTheRefusal_isRefusedAllTheSame(Way way) {
        assertThatThrownBy(() -> tx.run(c -> {
                    sql(c, "INSERT INTO t VALUES (1)");
                    assertThatThrownBy(() -> way.end().run(c)).isInstanceOf(TxException.Misuse.class);
                }))
                .isInstanceOf(TxException.Misuse.class);
        assertThat(db.number("SELECT count(*) FROM t")).isZero();
    }

    @ParameterizedTest
    @EnumSource(Db.Reach.class)
    void bodyCommitsOnAConnectionThatHidesItsState_isRefused(Db.Reach reach) {
        try (Db other = new Db(18, reach).with("CREATE TABLE t (id int PRIMARY KEY)")) {
            assertThatThrownBy(() -> Tx.on(other.source).run(c -> sql(c, "INSERT INTO t VALUES (1); COMMIT")))
                    .isInstanceOf(TxException.Misuse.class);
            assertThat(other.number("SELECT count(*) FROM t")).isZero();
        }
    }

    @Test
    void bodyCommitsPastTheGuard_isNoticedAtTheNextStatement() {
        assertThatThrownBy(() -> tx.run(c -> {
                    sql(c, "INSERT INTO t VALUES (1)");
                    commitBeneath(c);
                    sql(c, "INSERT INTO t VALUES (2)");
                }))
                .isInstanceOf(TxException.Misuse.class)
                .hasMessageContaining("the body ended the transaction itself");
        assertThat(db.number("SELECT sum(id) FROM t")).isEqualTo(1);
    }

    @Test
    void bodyCommitsPastTheGuardAtItsEnd_isNoticed() {
        assertThatThrownBy(() -> tx.run(c -> {
                    sql(c, "INSERT INTO t VALUES (1)");
                    commitBeneath(c);
                }))
                .isInstanceOf(TxException.Misuse.class)
                .hasMessageContaining("the body ended the transaction itself");
    }

    @Test
    void bodyCommitsPastTheGuardAndThrows_saysThatNotAllIsUndone() {
        IllegalStateException own = new IllegalStateException("no");

        assertThatThrownBy(() -> tx.run(c -> {
                    sql(c, "INSERT INTO t VALUES (1)");
                    commitBeneath(c);
                    throw own;
                }))
                .isInstanceOf(TxException.Misuse.class)
                .hasSuppressedException(own);
    }

    private static void commitBeneath(Connection c) throws SQLException {
        try (Statement s = ((Connection) c.unwrap(PGConnection.class)).createStatement()) {
            s.execute("COMMIT");
        }
    }

    @Test
    void bodyChangesSettingsThatWouldOutliveIt_isToldWhatToDo() {
        assertThatThrownBy(() -> tx.run(c -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE)))
                .isInstanceOf(TxException.Misuse.class)
                .hasMessageContaining("tx.serializable()");
        assertThatThrownBy(() -> tx.run(c -> c.setReadOnly(true)))
                .isInstanceOf(TxException.Misuse.class)
                .hasMessageContaining("tx.readOnly()");
    }

    @Test
    void harmlessCalls_pass() throws SQLException {
        tx.run(c -> {
            c.setAutoCommit(false);
            c.setReadOnly(false);
            assertThat(c.isWrapperFor(PGConnection.class)).isTrue();
            assertThat(c.unwrap(Connection.class)).isSameAs(c);
            sql(c, "INSERT INTO t VALUES (1)");
            sql(c, "SAVEPOINT s; INSERT INTO t VALUES (2); ROLLBACK TO s; RELEASE s");
            sql(c, "DO $$ BEGIN PERFORM 1; END $$");
            sql(c, "PREPARE p AS SELECT 1; DEALLOCATE p");
        });
        assertThat(db.number("SELECT count(*) FROM t")).isEqualTo(1);
    }

    @Test
    void autosaveOfTheDriver_makesASwallowedErrorLegitimate() {
        for (Db.Reach reach : new Db.Reach[] {Db.Reach.PLAIN, Db.Reach.POOL, Db.Reach.OPAQUE}) {
            try (Db saving = new Db(18, reach, "autosave=always").with("CREATE TABLE t (id int PRIMARY KEY)")) {
                saving.run("INSERT INTO t VALUES (1)");
                Tx.on(saving.source).run(c -> {
                    sql(c, "INSERT INTO t VALUES (2)");
                    assertThatThrownBy(() -> sql(c, "INSERT INTO t VALUES (1)")).isInstanceOf(SQLException.class);
                });
                assertThat(saving.number("SELECT count(*) FROM t"))
                        .as(reach.name())
                        .isEqualTo(2);
            }
        }
    }

    @Test
    void simpleQueryMode_isJudgedTheSame() {
        try (Db simple =
                new Db(18, Db.Reach.PLAIN, "preferQueryMode=simple").with("CREATE TABLE t (id int PRIMARY KEY)")) {
            Tx.on(simple.source).serializable().run(c -> sql(c, "INSERT INTO t VALUES (1)"));

            assertThatThrownBy(() -> Tx.on(simple.source).run(c -> {
                        sql(c, "INSERT INTO t VALUES (2)");
                        assertThatThrownBy(() -> sql(c, "INSERT INTO t VALUES (1)"))
                                .isInstanceOf(SQLException.class);
                    }))
                    .isInstanceOf(TxException.NotCommitted.class);
            assertThat(simple.number("SELECT count(*) FROM t")).isEqualTo(1);
        }
    }

    /** The price that the documentation states. */
    @Test
    void roundTrips_areThoseOfTheStatementsAndOneForCommit() {
        try (CuttingProxy network = new CuttingProxy(db.url);
                var pool = Db.pool(network.url(), 1, true)) {
            Tx counted = Tx.on(pool);
            counted.run(c -> sql(c, "SELECT 1"));

            assertThat(tripsOf(network, counted)).isEqualTo(2);
            assertThat(tripsOf(network, counted.serializable())).isEqualTo(3);
            assertThat(tripsOf(network, counted.serializable().readOnly().within(java.time.Duration.ofSeconds(30))))
                    .isEqualTo(3);
            int before = network.roundTrips();
            counted.run(c -> {});
            assertThat(network.roundTrips() - before).isZero();
        }
    }

    private static int tripsOf(CuttingProxy network, Tx tx) {
        int before = network.roundTrips();
        tx.run(c -> sql(c, "SELECT 1"));
        return network.roundTrips() - before;
    }
}
