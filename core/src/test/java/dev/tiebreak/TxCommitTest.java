package dev.tiebreak;

import static dev.tiebreak.Db.number;
import static dev.tiebreak.Db.sql;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.embedded.Server;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What can happen to COMMIT itself. */
class TxCommitTest {
    /** Holds COMMIT up at the server for as long as somebody holds the advisory lock. */
    private static final String SLOW_COMMIT = """
            CREATE FUNCTION wait_for_lock() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM pg_advisory_xact_lock(4711);
                RETURN NULL;
            END $$;
            CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION wait_for_lock()""";

    private static final String WAITING =
            "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted)";

    private static final String TABLE = "CREATE TABLE t (id int PRIMARY KEY)";

    @ParameterizedTest
    @EnumSource(
            value = Db.Reach.class,
            names = {"PLAIN", "POOL"})
    void commit_answerLost_isUnknownAndNotRunAgain(Db.Reach reach) {
        Db db = new Db(18, reach).with(TABLE);
        AtomicInteger runs = new AtomicInteger();
        try (CuttingProxy network = new CuttingProxy(db.url)) {
            Tx tx = Tx.on(Db.plain(network.url())).retrying(Retry.adaptive());
            network.cut(CuttingProxy.Cut.BEFORE_THE_CLIENT);

            assertThatThrownBy(() -> tx.run(c -> {
                        runs.incrementAndGet();
                        sql(c, "INSERT INTO t VALUES (1)");
                    }))
                    .isInstanceOfSatisfying(TxException.OutcomeUnknown.class, e -> {
                        assertThat(e.sqlState()).startsWith("08");
                        assertThat(e.attempts()).isEqualTo(1);
                    });
        }
        assertThat(runs).hasValue(1);
        assertThat(db.number("SELECT count(*) FROM t")).isEqualTo(1); // committed, and nobody was told
    }

    @Test
    void commit_neverArrives_isUnknownAndNotRunAgain() {
        Db db = new Db(18, Db.Reach.PLAIN).with(TABLE);
        AtomicInteger runs = new AtomicInteger();
        try (CuttingProxy network = new CuttingProxy(db.url)) {
            Tx tx = Tx.on(Db.plain(network.url())).retrying(Retry.adaptive());
            network.cut(CuttingProxy.Cut.BEFORE_THE_SERVER);

            assertThatThrownBy(() -> tx.run(c -> {
                        runs.incrementAndGet();
                        sql(c, "INSERT INTO t VALUES (1)");
                    }))
                    .isInstanceOf(TxException.OutcomeUnknown.class);
        }
        assertThat(runs).hasValue(1);
        assertThat(db.number("SELECT count(*) FROM t")).isZero();
    }

    @ParameterizedTest
    @EnumSource(Db.Reach.class)
    void commit_backendTerminated_isUnknownAndThePoolGoesOn(Db.Reach reach) throws Exception {
        try (Db db = new Db(18, reach).with(TABLE).with(SLOW_COMMIT);
                Connection other = Db.plain(db.url).getConnection()) {
            sql(other, "SELECT pg_advisory_lock(4711)");
            Tx tx = Tx.on(db.source).retrying(Retry.adaptive());
            AtomicInteger runs = new AtomicInteger();
            CompletableFuture<Void> outcome = Db.aside(() -> tx.run(c -> {
                runs.incrementAndGet();
                sql(c, "INSERT INTO t VALUES (1)");
            }));
            db.await(WAITING);
            assertThat(number(other, """
                    SELECT count(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_locks
                    WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted) gone""")).isEqualTo(1);

            assertThatThrownBy(outcome::get)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(TxException.OutcomeUnknown.class, e -> assertThat(e.sqlState())
                            .isEqualTo("57P01"));
            sql(other, "SELECT pg_advisory_unlock(4711)");

            assertThat(runs).hasValue(1);
            tx.run(c -> sql(c, "INSERT INTO t VALUES (2)"));
            assertThat(db.number("SELECT sum(id) FROM t")).isEqualTo(2);
        }
    }

    @Test
    void commit_serverProcessKilled_isUnknown() throws Exception {
        try (Server server = Server.start(18, Map.of("fsync", "off"))) {
            DataSource source = Db.plain(server.newDatabase());
            Connection other = source.getConnection();
            sql(other, TABLE);
            sql(other, SLOW_COMMIT);
            sql(other, "SELECT pg_advisory_lock(4711)");
            CompletableFuture<Long> pid = new CompletableFuture<>();
            CompletableFuture<Void> outcome = Db.aside(() -> Tx.on(source).run(c -> {
                sql(c, "INSERT INTO t VALUES (1)");
                assertThat(pid.complete(number(c, "SELECT pg_backend_pid()"))).isTrue();
            }));
            long backend = pid.get();
            while (!Db.text(other, WAITING).equals("t")) {
                Thread.onSpinWait();
            }
            assertThat(ProcessHandle.of(backend).orElseThrow().destroyForcibly())
                    .isTrue();

            assertThatThrownBy(outcome::get).cause().isInstanceOf(TxException.OutcomeUnknown.class);
        }
    }

    @Test
    void body_backendTerminatedBeforeCommit_isFailedAndNothingIsThere() {
        try (Db db = new Db(18, Db.Reach.POOL).with(TABLE)) {
            AtomicInteger runs = new AtomicInteger();
            Tx tx = Tx.on(db.source).retrying(Retry.adaptive());

            assertThatThrownBy(() -> tx.run(c -> {
                        runs.incrementAndGet();
                        sql(c, "INSERT INTO t VALUES (1)");
                        sql(c, "SELECT pg_terminate_backend(pg_backend_pid())");
                    }))
                    .isInstanceOfSatisfying(TxException.Failed.class, e -> assertThat(e.sqlState())
                            .isEqualTo("57P01"));

            assertThat(runs).hasValue(1);
            tx.run(c -> sql(c, "INSERT INTO t VALUES (2)"));
            assertThat(db.number("SELECT sum(id) FROM t")).isEqualTo(2);
        }
    }

    @Test
    void connection_refused_isFailed() {
        Tx tx = Tx.on(Db.plain("jdbc:postgresql://localhost:1/nowhere"));

        assertThatThrownBy(() -> tx.run(c -> sql(c, "SELECT 1")))
                .isInstanceOfSatisfying(
                        TxException.Failed.class, e -> assertThat(e.sqlState()).isEqualTo("08001"));
    }

    @ParameterizedTest
    @EnumSource(Db.Reach.class)
    void commit_serializationFailureComesFirstThere_runsTheBodyAgainWithFreshState(Db.Reach reach) {
        try (Db db = new Db(18, reach).with(TABLE)) {
            AtomicInteger bodiesEnded = new AtomicInteger();
            Tx tx = Tx.on(db.source).serializable().retrying(Retry.adaptive());

            long seen = tx.call(c -> {
                long before = number(c, "SELECT count(*) FROM t");
                sql(c, "INSERT INTO t VALUES (" + (100 + before) + ")");
                if (before == 0) {
                    skew(db);
                }
                bodiesEnded.incrementAndGet();
                return before;
            });

            assertThat(bodiesEnded).as("it was COMMIT that failed").hasValue(2);
            assertThat(seen).isEqualTo(1);
            assertThat(db.number("SELECT sum(id) FROM t")).isEqualTo(1 + 101);
        }
    }

    @Test
    void commit_serializationFailureWithoutRetry_isConflict() {
        try (Db db = new Db(18, Db.Reach.POOL).with(TABLE)) {
            assertThatThrownBy(() -> Tx.on(db.source).serializable().run(c -> {
                        assertThat(number(c, "SELECT count(*) FROM t")).isZero();
                        sql(c, "INSERT INTO t VALUES (100)");
                        skew(db);
                    }))
                    .isInstanceOfSatisfying(TxException.Conflict.class, e -> {
                        assertThat(e.sqlState()).isEqualTo("40001");
                        assertThat(e.attempts()).isEqualTo(1);
                    });
            assertThat(db.number("SELECT sum(id) FROM t")).isEqualTo(1);
        }
    }

    /** Another serializable transaction that reads what the body writes and writes what it has read. */
    private static void skew(Db db) throws SQLException {
        try (Connection c = Db.plain(db.url).getConnection()) {
            sql(c, "BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM t; INSERT INTO t VALUES (1); COMMIT");
        }
    }
}
