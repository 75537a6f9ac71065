package dev.tiebreak;

import static dev.tiebreak.Db.number;
import static dev.tiebreak.Db.sql;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Which failures a retrying {@link Tx} runs again, and what it says when it gives up. */
class TxRetryTest {
    private final Db db = new Db(18, Db.Reach.POOL).with("CREATE TABLE t (id int PRIMARY KEY, n int DEFAULT 0)");
    private final Tx tx = Tx.on(db.source).retrying(Retry.adaptive());
    private final AtomicInteger runs = new AtomicInteger();

    @AfterEach
    void close() {
        db.close();
    }

    private static void raise(Connection c, String state) throws SQLException {
        sql(c, "DO $$ BEGIN RAISE EXCEPTION 'raised' USING ERRCODE = '" + state + "'; END $$");
    }

    @Test
    void call_conflictTwice_succeedsInTheThirdAttempt() {
        tx.run(c -> {
            sql(c, "INSERT INTO t VALUES (1)");
            if (runs.incrementAndGet() < 3) {
                raise(c, "40001");
            }
        });

        assertThat(runs).hasValue(3);
        assertThat(db.number("SELECT count(*) FROM t")).isEqualTo(1);
    }

    @Test
    void call_conflictEveryTime_givesUpWithAllFailures() {
        TxException.Conflict spent = catchThrowableOfType(
                TxException.Conflict.class,
                () -> tx.retrying(Retry.adaptive().attempts(3)).run(c -> {
                    runs.incrementAndGet();
                    raise(c, "40P01");
                }));

        assertThat(runs).hasValue(3);
        assertThat(spent.attempts()).isEqualTo(3);
        assertThat(spent.sqlState()).isEqualTo("40P01");
        assertThat(spent).hasMessageContaining("after 3 attempts").hasCauseInstanceOf(SQLException.class);
        assertThat(spent.getSuppressed()).hasSize(2).allSatisfy(e -> assertThat(e)
                .isInstanceOf(TxException.Conflict.class));
    }

    @Test
    void call_byDefault_makesFourAttempts() {
        assertThatThrownBy(() -> tx.run(c -> {
                    runs.incrementAndGet();
                    raise(c, "40001");
                }))
                .isInstanceOf(TxException.Conflict.class);

        assertThat(runs).hasValue(4);
    }

    @Test
    void call_swallowedConflict_runsAgain() {
        tx.run(c -> {
            if (runs.incrementAndGet() == 1) {
                assertThatThrownBy(() -> raise(c, "40001")).isInstanceOf(SQLException.class);
            }
        });

        assertThat(runs).hasValue(2);
    }

    @Test
    void call_uniqueViolation_isNotRunAgain() {
        assertThatThrownBy(() -> tx.run(c -> {
                    runs.incrementAndGet();
                    raise(c, "23505");
                }))
                .isInstanceOf(TxException.Failed.class);

        assertThat(runs).hasValue(1);
    }

    @Test
    void call_conflictThenOwnException_comesOutWithTheConflictAttached() {
        IllegalStateException own = new IllegalStateException("no");

        assertThatThrownBy(() -> tx.run(c -> {
                    if (runs.incrementAndGet() == 1) {
                        raise(c, "40001");
                    }
                    throw own;
                }))
                .isSameAs(own);
        assertThat(own.getSuppressed()).hasSize(1);
    }

    @Test
    void call_conflictThenOtherFailure_countsBothAttempts() {
        assertThatThrownBy(() -> tx.run(c -> raise(c, runs.incrementAndGet() == 1 ? "40001" : "55P03")))
                .isInstanceOfSatisfying(TxException.LockNotAvailable.class, e -> assertThat(e.attempts())
                        .isEqualTo(2));
    }

    @Test
    void call_deadlock_bothCommitInTheEnd() throws Exception {
        db.run("INSERT INTO t VALUES (1), (2)");
        CyclicBarrier bothHoldOne = new CyclicBarrier(2);
        AtomicInteger bodies = new AtomicInteger();
        CompletableFuture<Void> a = Db.aside(() -> crossing(bothHoldOne, bodies, 1, 2));
        CompletableFuture<Void> b = Db.aside(() -> crossing(bothHoldOne, bodies, 2, 1));

        CompletableFuture.allOf(a, b).get(60, TimeUnit.SECONDS);

        assertThat(bodies).hasValueGreaterThan(2);
        assertThat(db.number("SELECT min(n) + max(n) FROM t")).isEqualTo(4);
    }

    private void crossing(CyclicBarrier bothHoldOne, AtomicInteger bodies, int first, int second) {
        AtomicInteger attempt = new AtomicInteger();
        tx.run(c -> {
            bodies.incrementAndGet();
            sql(c, "SET LOCAL deadlock_timeout = 20");
            sql(c, "UPDATE t SET n = n + 1 WHERE id = " + first);
            if (attempt.incrementAndGet() == 1) {
                await(bothHoldOne);
            }
            sql(c, "UPDATE t SET n = n + 1 WHERE id = " + second);
        });
    }

    private static void await(CyclicBarrier barrier) {
        try {
            int arrival = barrier.await(30, TimeUnit.SECONDS);
            assertThat(arrival).isBetween(0, 1);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void call_hotRowUnderSerializable_losesNoUpdate() throws Exception {
        db.run("INSERT INTO t VALUES (1)");
        Tx patient = tx.serializable().retrying(Retry.adaptive().attempts(200));
        CompletableFuture<?>[] clients = new CompletableFuture<?>[8];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = Db.aside(() -> {
                for (int n = 0; n < 5; n++) {
                    patient.run(c -> {
                        long before = number(c, "SELECT n FROM t WHERE id = 1");
                        sql(c, "UPDATE t SET n = " + (before + 1) + " WHERE id = 1");
                    });
                }
            });
        }
        CompletableFuture.allOf(clients).get(60, TimeUnit.SECONDS);

        assertThat(db.number("SELECT n FROM t")).isEqualTo(40);
    }

    @Test
    void call_limitOver_beginsNoFurtherAttempt() {
        long start = System.nanoTime();

        assertThatThrownBy(
                        () -> tx.retrying(Retry.adaptive().attempts(1_000_000).within(Duration.ofMillis(500)))
                                .run(c -> {
                                    runs.incrementAndGet();
                                    raise(c, "40001");
                                }))
                .isInstanceOf(TxException.Conflict.class);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        assertThat(runs.get()).isBetween(2, 20);
    }

    @Test
    void call_limitOfTheTx_holdsForItsRetriesToo() {
        assertThatThrownBy(() -> tx.retrying(Retry.adaptive().attempts(1_000_000))
                        .within(Duration.ofMillis(500))
                        .run(c -> {
                            runs.incrementAndGet();
                            raise(c, "40001");
                        }))
                .isInstanceOf(TxException.Conflict.class);

        assertThat(runs.get()).isBetween(2, 20);
    }

    @Test
    void call_interrupted_doesNotTryAgainAndStaysInterrupted() {
        assertThatThrownBy(() -> tx.run(c -> {
                    runs.incrementAndGet();
                    Thread.currentThread().interrupt();
                    raise(c, "40001");
                }))
                .isInstanceOf(TxException.Conflict.class);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(runs).hasValue(1);
    }

    @Test
    void call_betweenAttempts_holdsNoConnection() {
        try (var pool = Db.pool(db.url, 1, true)) {
            AtomicReference<String> first = new AtomicReference<>("");
            Tx.on(pool).retrying(Retry.adaptive()).run(c -> {
                assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(1);
                if (runs.incrementAndGet() == 1) {
                    first.set(Thread.currentThread().getName());
                    raise(c, "40001");
                }
            });
            assertThat(runs).hasValue(2);
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    /** A migration changes what a statement that the server has prepared returns. */
    @Test
    void call_planMadeStaleByAMigration_isMadeAnew() throws SQLException {
        try (Connection only = Db.plain(db.url).getConnection()) { // HikariCP would throw the connection away
            Tx onOne = Tx.on(new SingleConnectionDataSource(only, true));
            for (int i = 0; i < 10; i++) { // enough for the driver to prepare it on the server
                onOne.run(TxRetryTest::readAll);
            }
            db.run("ALTER TABLE t ADD COLUMN later int");

            onOne.retrying(Retry.adaptive()).run(c -> {
                runs.incrementAndGet();
                readAll(c);
            });

            assertThat(runs).hasValue(2);
        }
    }

    @Test
    void call_stalePlanWithoutRetry_failsOnceAndTheNextCallWorks() {
        Tx once = Tx.on(db.source);
        for (int i = 0; i < 10; i++) {
            once.run(TxRetryTest::readAll);
        }
        db.run("ALTER TABLE t ADD COLUMN later int");

        assertThatThrownBy(() -> once.run(TxRetryTest::readAll))
                .isInstanceOfSatisfying(
                        TxException.Failed.class, e -> assertThat(e.sqlState()).isEqualTo("0A000"));
        once.run(TxRetryTest::readAll);
    }

    @Test
    void call_otherFeatureNotSupported_isNotRunAgain() {
        assertThatThrownBy(() -> tx.run(c -> {
                    runs.incrementAndGet();
                    raise(c, "0A000");
                }))
                .isInstanceOf(TxException.Failed.class);

        assertThat(runs).hasValue(1);
    }

    private static void readAll(Connection c) throws SQLException {
        try (PreparedStatement s = c.prepareStatement("SELECT * FROM t");
                ResultSet rows = s.executeQuery()) {
            assertThat(rows.next()).isFalse();
        }
    }
}
