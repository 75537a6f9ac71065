package dev.tiebreak;

import static dev.tiebreak.Db.number;
import static dev.tiebreak.Db.sql;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** One runner at a time on a thread, and never on somebody else's transaction. */
class TxNestingTest {
    private final Db db = new Db(18, Db.Reach.POOL).with("CREATE TABLE t (id int PRIMARY KEY)");
    private final Tx tx = Tx.on(db.source);

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void txInsideTx_isRefusedAndTheOuterRollsBack() {
        assertThatThrownBy(() -> tx.run(c -> {
                    sql(c, "INSERT INTO t VALUES (1)");
                    tx.run(c2 -> sql(c2, "INSERT INTO t VALUES (2)"));
                }))
                .isInstanceOf(TxException.Misuse.class)
                .hasMessageContaining("use the connection that the outer body was given");

        assertThat(db.number("SELECT count(*) FROM t")).isZero();
        tx.run(c -> sql(c, "INSERT INTO t VALUES (3)")); // the thread is free again
    }

    @Test
    void txInsideTxOfAnotherSource_isRefused() {
        Tx other = Tx.on(Db.plain(db.url));

        assertThatThrownBy(() -> tx.run(c -> other.run(c2 -> sql(c2, "SELECT 1"))))
                .isInstanceOf(TxException.Misuse.class);
    }

    @Test
    void retryInsideTx_isRefused() {
        assertThatThrownBy(() -> tx.run(c -> Retry.adaptive().run(() -> sql(c, "SELECT 1"))))
                .isInstanceOf(TxException.Misuse.class)
                .hasMessageContaining("tx.retrying(");
    }

    @Test
    void retryingTxInsideRetry_isRefused() {
        Tx retrying = tx.retrying(Retry.adaptive());

        assertThatThrownBy(() -> Retry.adaptive().run(() -> retrying.run(c -> sql(c, "SELECT 1"))))
                .isInstanceOf(TxException.Misuse.class)
                .hasMessageContaining("multiply the attempts");
    }

    @Test
    void retryInsideRetry_isRefused() {
        assertThatThrownBy(() -> Retry.adaptive().run(() -> Retry.adaptive().run(() -> {})))
                .isInstanceOf(TxException.Misuse.class)
                .hasMessageContaining("outermost");
    }

    @Test
    void plainTxInsideRetry_isRunAgain() {
        AtomicInteger runs = new AtomicInteger();

        int answer = Retry.adaptive()
                .call(() -> tx.call(c -> {
                    sql(c, "INSERT INTO t VALUES (1)");
                    if (runs.incrementAndGet() < 3) {
                        sql(c, "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$");
                    }
                    return runs.get();
                }));

        assertThat(answer).isEqualTo(3);
        assertThat(db.number("SELECT count(*) FROM t")).isEqualTo(1);
        tx.retrying(Retry.adaptive()).run(c -> sql(c, "SELECT 1")); // the thread is free again
    }

    @Test
    void plainTxInsideRetry_spent_countsTheAttemptsOfTheRetry() {
        assertThatThrownBy(() -> Retry.adaptive()
                        .run(() ->
                                tx.run(c -> sql(c, "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$"))))
                .isInstanceOfSatisfying(TxException.Conflict.class, e -> {
                    assertThat(e.attempts()).isEqualTo(4);
                    assertThat(e).hasCauseInstanceOf(SQLException.class);
                });
    }

    /** Ten connections, fifty threads, each of which would need a second one: refused at once, not after a time-out. */
    @Test
    void poolSmallerThanNestedCallers_everyNestedCallIsRefusedAndNobodyWaits() throws Exception {
        try (HikariDataSource pool = Db.pool(db.url, 10, true)) {
            Tx small = Tx.on(pool);
            AtomicInteger refused = new AtomicInteger();
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                int id = i;
                callers.add(Db.aside(() -> small.run(c -> {
                    sql(c, "INSERT INTO t VALUES (" + id + ")");
                    try {
                        small.run(c2 -> sql(c2, "SELECT 1"));
                    } catch (TxException.Misuse e) {
                        refused.incrementAndGet();
                    }
                })));
            }
            CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);

            assertThat(refused).hasValue(50);
            assertThat(db.number("SELECT count(*) FROM t")).isEqualTo(50);
        }
    }

    @Test
    void transactionAwareSource_isRefused() {
        class Ours extends TransactionAwareDataSourceProxy {}
        Ours ours = new Ours();
        ours.setTargetDataSource(db.source);

        assertThatThrownBy(() -> Tx.on(new TransactionAwareDataSourceProxy(db.source)))
                .isInstanceOf(TxException.Misuse.class)
                .hasMessageContaining("give Tx the pool itself");
        assertThatThrownBy(() -> Tx.on(ours)).isInstanceOf(TxException.Misuse.class);
        assertThatThrownBy(() -> Tx.on(new DelegatingDataSource(new TransactionAwareDataSourceProxy(db.source))))
                .isInstanceOf(TxException.Misuse.class);
    }

    @Test
    void transactionAwareSourceInHiding_isRefusedAtTheFirstCall() {
        DelegatingDataSource hiding = new DelegatingDataSource(new TransactionAwareDataSourceProxy(db.source)) {
            @Override
            public boolean isWrapperFor(Class<?> type) {
                return false;
            }
        };

        assertThatThrownBy(() -> Tx.on(hiding).run(c -> sql(c, "SELECT 1"))).isInstanceOf(TxException.Misuse.class);
    }

    @Test
    void lazySource_isFine() {
        Tx lazy = Tx.on(new LazyConnectionDataSourceProxy(db.source));

        lazy.run(c -> sql(c, "INSERT INTO t VALUES (1)"));

        assertThat(db.number("SELECT count(*) FROM t")).isEqualTo(1);
    }

    @Test
    void txInsideSpringTransactionOnTheSameSource_isRefused() {
        TransactionTemplate spring = new TransactionTemplate(new DataSourceTransactionManager(db.source));

        assertThatThrownBy(() -> spring.executeWithoutResult(status -> tx.run(c -> sql(c, "SELECT 1"))))
                .isInstanceOf(TxException.Misuse.class)
                .hasMessageContaining("DataSourceUtils.getConnection");
        assertThatThrownBy(() -> spring.executeWithoutResult(status -> Retry.adaptive()
                        .run(() -> assertThat(status.isNewTransaction()).isTrue())))
                .isInstanceOf(TxException.Misuse.class)
                .hasMessageContaining("@Transactional");
    }

    @Test
    void txInsideSpringTransactionOnAnotherSource_isFine() {
        TransactionTemplate spring = new TransactionTemplate(new DataSourceTransactionManager(Db.plain(db.url)));

        spring.executeWithoutResult(status -> tx.run(c -> sql(c, "INSERT INTO t VALUES (1)")));

        assertThat(db.number("SELECT count(*) FROM t")).isEqualTo(1);
    }

    @Test
    void connectionAlreadyInATransaction_isRefusedAndLeftAlone() throws SQLException {
        try (Connection busy = Db.plain(db.url).getConnection()) {
            busy.setAutoCommit(false);
            sql(busy, "INSERT INTO t VALUES (1)");
            Tx onBusy = Tx.on(new SingleConnectionDataSource(busy, true));

            assertThatThrownBy(() -> onBusy.run(c -> sql(c, "INSERT INTO t VALUES (2)")))
                    .isInstanceOf(TxException.Misuse.class)
                    .hasMessageContaining("in a transaction already");

            assertThat(number(busy, "SELECT count(*) FROM t")).isEqualTo(1);
            assertThat(db.number("SELECT count(*) FROM t")).isZero();
            busy.rollback();
        }
    }
}
