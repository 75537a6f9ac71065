package dev.tiebreak.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Key;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.TxException;
import dev.tiebreak.stock.BatchingWriter.Answer;
import dev.tiebreak.stock.BatchingWriter.Options;
import dev.tiebreak.stock.BatchingWriter.Unknown;
import dev.tiebreak.stock.Stock.Take;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "PostgreSQL {0}")
@ValueSource(ints = {15, 18})
class BatchingWriterTest {
    private static final Stock TEA =
            Stock.of(Table.of("item").keyedBy("id"), "qty").named("tea");
    private static final Options ONE = new Options(1, 1000, Duration.ofSeconds(60), Duration.ofSeconds(30));

    private final Database db;

    BatchingWriterTest(int pg) throws SQLException {
        db = new Database(pg);
        db.run("CREATE TABLE item (id bigint PRIMARY KEY, qty int NOT NULL, version int NOT NULL DEFAULT 0)");
        db.run("INSERT INTO item SELECT i, 10 FROM generate_series(1, 100) i");
    }

    private static Key key(long id) {
        return Table.of("item").keyedBy("id").key("id", id);
    }

    private long qty(long id) throws SQLException {
        return db.ask("SELECT qty FROM item WHERE id = " + id);
    }

    @Test
    void take_answersAfterTheCommit() throws Exception {
        try (BatchingWriter gate = BatchingWriter.open(db.source, TEA)) {
            assertThat(gate.take(key(1), 4)).isEqualTo(new Take.Taken(6));
            assertThat(qty(1)).isEqualTo(6);
            assertThat(gate.take(key(1), 7)).isEqualTo(new Take.SoldOut(6));
            assertThat(gate.takeAsync(key(1), 6).toCompletableFuture().get()).isEqualTo(new Take.Taken(0));
            assertThat(gate.take(key(404), 1)).isEqualTo(new Take.Absent(key(404)));
            assertThat(qty(1)).isZero();
        }
    }

    /** Holds the row, lets requests gather behind a first one, then lets go: all of the later ones are one batch. */
    private List<Answer> inOneBatch(BatchingWriter gate, Object... keysAndUnits) throws Exception {
        List<CompletableFuture<Answer>> stages = new ArrayList<>();
        try (Connection holder = db.open()) {
            Database.run(holder, "SELECT FROM item WHERE id = 100 FOR UPDATE");
            CompletionStage<Answer> first = gate.takeAsync(key(100), 1);
            Waiting.sessions(db.source, 1);
            for (int i = 0; i < keysAndUnits.length; i += 2) {
                stages.add(gate.takeAsync((Key) keysAndUnits[i], ((Number) keysAndUnits[i + 1]).longValue())
                        .toCompletableFuture());
            }
            holder.rollback();
            assertThat(first.toCompletableFuture().get()).isInstanceOf(Take.Taken.class);
        }
        List<Answer> answers = new ArrayList<>();
        for (CompletableFuture<Answer> stage : stages) {
            answers.add(stage.exceptionally(e -> new Unknown(String.valueOf(e.getCause())))
                    .get());
        }
        return answers;
    }

    @Test
    void take_ofManyForOneKey_isOneUpdateInTheirOrder() throws Exception {
        try (BatchingWriter gate = BatchingWriter.open(db.source, TEA.optimistic("version"), ONE)) {
            assertThat(inOneBatch(gate, key(1), 3, key(1), 3, key(2), 10, key(1), 3, key(1), 3))
                    .containsExactly(
                            new Take.Taken(7),
                            new Take.Taken(4),
                            new Take.Taken(0),
                            new Take.Taken(1),
                            new Take.SoldOut(1));
            assertThat(db.ask("SELECT version FROM item WHERE id = 1")).isEqualTo(1);
        }
    }

    @Test
    void take_ofDifferentNumbers_isFirstComeFirstServedAndLeavesNothingUnsold() throws Exception {
        try (BatchingWriter gate = BatchingWriter.open(db.source, TEA, ONE)) {
            db.run("UPDATE item SET qty = 2 WHERE id IN (1, 2)");
            assertThat(inOneBatch(gate, key(1), 3, key(2), 1, key(1), 2, key(2), 2, key(1), 1, key(2), 1))
                    .containsExactly(
                            new Take.SoldOut(2),
                            new Take.Taken(1),
                            new Take.Taken(0),
                            new Take.SoldOut(1),
                            new Take.SoldOut(0),
                            new Take.Taken(0));
            assertThat(qty(1) + qty(2)).isZero();
        }
    }

    @Test
    void take_thatBreaksAConstraint_failsAlone() throws Exception {
        db.run("ALTER TABLE item ADD CONSTRAINT unlucky CHECK (id <> 13 OR qty >= 10)");
        try (BatchingWriter gate = BatchingWriter.open(db.source, TEA, ONE)) {
            List<Answer> answers = inOneBatch(gate, key(1), 1, key(2), 1, key(13), 1, key(3), 1, key(4), 1);
            assertThat(answers.get(2)).isInstanceOfSatisfying(Unknown.class, failed -> assertThat(failed.id())
                    .contains("TxException$Failed")
                    .contains("unlucky"));
            answers.remove(2);
            assertThat(answers).containsOnly(new Take.Taken(9));
            assertThatThrownBy(() -> gate.take(key(13), 1))
                    .isInstanceOfSatisfying(TxException.Failed.class, e -> assertThat(e.sqlState())
                            .isEqualTo("23514"));
        }
    }

    @Test
    void take_underTheConstraintThatMeansSoldOut_sellsWhatTheRuleAllows() throws Exception {
        db.run("ALTER TABLE item ADD CONSTRAINT reserve CHECK (qty >= 3)");
        try (BatchingWriter gate = BatchingWriter.open(db.source, TEA.constraint("reserve"), ONE)) {
            Object[] many = new Object[200];
            for (int i = 0; i < many.length; i += 2) {
                many[i] = key(1);
                many[i + 1] = 1;
            }
            List<Answer> answers = inOneBatch(gate, many);
            assertThat(answers.subList(0, 7)).allMatch(Take.Taken.class::isInstance);
            assertThat(answers.subList(7, 100)).containsOnly(new Take.SoldOut(3));
            assertThat(qty(1)).isEqualTo(3);
        }
    }

    @Test
    void take_ofTwoKeysThatNameOneRow_sellsBoth() throws Exception {
        db.run(
                "CREATE TABLE u (id uuid PRIMARY KEY, qty int); INSERT INTO u VALUES ('aaaaaaaa-0000-0000-0000-000000000000', 9)");
        Table u = Table.of("u").keyedBy("id");
        Key lower = u.key("id", "aaaaaaaa-0000-0000-0000-000000000000");
        Key upper = u.key("id", "AAAAAAAA-0000-0000-0000-000000000000");
        try (BatchingWriter gate = BatchingWriter.open(db.source, Stock.of(u, "qty"), ONE);
                Connection holder = db.open()) {
            Database.run(holder, "SELECT FROM u FOR UPDATE");
            CompletionStage<Answer> first = gate.takeAsync(lower, 1);
            Waiting.sessions(db.source, 1);
            CompletionStage<Answer> second = gate.takeAsync(upper, 2);
            CompletionStage<Answer> third = gate.takeAsync(lower, 3);
            holder.rollback();
            assertThat(first.toCompletableFuture().get()).isEqualTo(new Take.Taken(8));
            assertThat(List.of(
                            second.toCompletableFuture().get(),
                            third.toCompletableFuture().get()))
                    .containsExactly(new Take.Taken(6), new Take.Taken(3));
        }
        assertThat(db.ask("SELECT qty FROM u")).isEqualTo(3);
    }

    @Test
    void take_ofARowThatSomebodyKeepsLocked_isBusyAlone() throws Exception {
        try (BatchingWriter gate = BatchingWriter.open(db.source, TEA, ONE.lockWait(Duration.ofMillis(50)));
                Connection holder = db.open()) {
            Database.run(holder, "SELECT FROM item WHERE id = 2 FOR UPDATE");
            CompletionStage<Answer> first = gate.takeAsync(key(2), 1);
            CompletionStage<Answer> held = gate.takeAsync(key(2), 1);
            CompletionStage<Answer> free = gate.takeAsync(key(3), 1);
            CompletionStage<Answer> gone = gate.takeAsync(key(404), 1);
            assertThat(free.toCompletableFuture().get()).isEqualTo(new Take.Taken(9));
            assertThat(gone.toCompletableFuture().get()).isEqualTo(new Take.Absent(key(404)));
            assertThat(held.toCompletableFuture().get()).isInstanceOf(Take.Busy.class);
            assertThat(first.toCompletableFuture().get()).isInstanceOf(Take.Busy.class);
            holder.rollback();
            assertThat(gate.take(key(2), 1)).isEqualTo(new Take.Taken(9));
        }
    }

    @Test
    void take_whenTheQueueIsFull_isBusyAtOnce() throws Exception {
        try (BatchingWriter gate = BatchingWriter.open(db.source, TEA, ONE.queue(2));
                Connection holder = db.open()) {
            Database.run(holder, "SELECT FROM item WHERE id = 1 FOR UPDATE");
            CompletionStage<Answer> first = gate.takeAsync(key(1), 1);
            Waiting.sessions(db.source, 1);
            CompletionStage<Answer> second = gate.takeAsync(key(1), 1);
            CompletionStage<Answer> third = gate.takeAsync(key(1), 1);
            assertThat(gate.waiting()).isEqualTo(2);
            assertThat(gate.take(key(1), 1)).isInstanceOfSatisfying(Take.Busy.class, b -> assertThat(b.attempts())
                    .isZero());
            holder.rollback();
            assertThat(first.toCompletableFuture().get()).isEqualTo(new Take.Taken(9));
            assertThat(second.toCompletableFuture().get()).isEqualTo(new Take.Taken(8));
            assertThat(third.toCompletableFuture().get()).isEqualTo(new Take.Taken(7));
        }
    }

    @Test
    void take_whoseDeadlinePassesInTheQueue_isBusyAndTookNothing() throws Exception {
        try (BatchingWriter gate = BatchingWriter.open(db.source, TEA, ONE.deadline(Duration.ofMillis(20)));
                Connection holder = db.open()) {
            Database.run(holder, "SELECT FROM item WHERE id = 1 FOR UPDATE");
            CompletionStage<Answer> first = gate.takeAsync(key(1), 1);
            Waiting.sessions(db.source, 1);
            assertThat(gate.take(key(2), 1)).isInstanceOfSatisfying(Take.Busy.class, busy -> {
                assertThat(busy.attempts()).isZero();
                assertThat(busy.waited()).isGreaterThanOrEqualTo(Duration.ofMillis(20));
            });
            holder.rollback();
            assertThat(first.toCompletableFuture().get()).isEqualTo(new Take.Taken(9));
            assertThat(gate.take(key(3), 1)).isEqualTo(new Take.Taken(9));
        }
        assertThat(qty(2)).isEqualTo(10);
    }

    @Test
    void take_interruptedInTheQueue_isBusyAndStaysInterrupted() throws Exception {
        try (BatchingWriter gate = BatchingWriter.open(db.source, TEA, ONE);
                Connection holder = db.open()) {
            Database.run(holder, "SELECT FROM item WHERE id = 1 FOR UPDATE");
            CompletionStage<Answer> first = gate.takeAsync(key(1), 1);
            Waiting.sessions(db.source, 1);
            Thread.currentThread().interrupt();
            assertThat(gate.take(key(2), 1)).isInstanceOf(Take.Busy.class);
            assertThat(Thread.interrupted()).isTrue();
            holder.rollback();
            assertThat(first.toCompletableFuture().get()).isEqualTo(new Take.Taken(9));
        }
        assertThat(qty(2)).isEqualTo(10);
    }

    @Test
    void take_whoseConnectionDiesInFlight_isUnknownAndTheNextOneIsServed() throws Exception {
        try (BatchingWriter gate = BatchingWriter.open(db.source, TEA, ONE);
                Connection holder = db.open()) {
            Database.run(holder, "SELECT FROM item WHERE id = 1 FOR UPDATE");
            CompletionStage<Answer> inFlight = gate.takeAsync(key(1), 1);
            Waiting.sessions(db.source, 1);
            CompletionStage<Answer> queued = gate.takeAsync(key(2), 1);
            db.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND wait_event_type = 'Lock'");
            assertThat(inFlight.toCompletableFuture().get())
                    .isInstanceOfSatisfying(
                            Unknown.class, u -> assertThat(u.id()).isEqualTo("tea-0-1"));
            assertThat(queued.toCompletableFuture().get()).isEqualTo(new Take.Taken(9));
        }
        assertThat(qty(1)).isEqualTo(10);
    }

    @Test
    void take_whileTheDatabaseCannotBeReached_isBusy_andServedAfterwards() throws Exception {
        Flaky flaky = new Flaky(db.source);
        try (BatchingWriter gate = BatchingWriter.open(flaky.asDataSource(), TEA, ONE)) {
            flaky.failWith = new SQLException("connection refused", "08001");
            assertThat(gate.take(key(1), 1)).isInstanceOf(Take.Busy.class);
            flaky.failWith = new SQLException("no such password", "28P01");
            assertThatThrownBy(() -> gate.take(key(1), 1)).isInstanceOf(TxException.Failed.class);
            flaky.failWith = null;
            assertThat(gate.take(key(1), 1)).isEqualTo(new Take.Taken(9));
        }
    }

    @Test
    void take_afterAMigrationOfTheTable_goesOn() throws Exception {
        try (BatchingWriter gate = BatchingWriter.open(db.source, TEA, ONE)) {
            for (int i = 1; i <= 10; i++) {
                assertThat(gate.take(key(i), 1)).isEqualTo(new Take.Taken(9));
            }
            db.run("ALTER TABLE item ALTER qty TYPE numeric, ALTER id TYPE numeric");
            assertThat(gate.take(key(1), 1)).isEqualTo(new Take.Taken(8));
        }
    }

    @Test
    void take_fromATableThatIsNotThere_namesIt() {
        Table missing = Table.of("missing").keyedBy("id");
        try (BatchingWriter gate = BatchingWriter.open(db.source, Stock.of(missing, "qty"), ONE)) {
            assertThatThrownBy(() -> gate.take(missing.key("id", 1), 1))
                    .isInstanceOf(TxException.Failed.class)
                    .hasMessageContaining("\"missing\" does not exist");
            assertThatThrownBy(() -> gate.takeAsync(missing.key("id", 1), 1)
                            .toCompletableFuture()
                            .get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(TxException.Failed.class);
        }
    }

    @Test
    void take_withoutAUniqueKey_isRefused() throws Exception {
        db.run("CREATE TABLE loose (id int, qty int); CREATE UNIQUE INDEX ON loose (id) WHERE qty > 0");
        Table loose = Table.of("loose").keyedBy("id");
        try (BatchingWriter gate = BatchingWriter.open(db.source, Stock.of(loose, "qty"), ONE)) {
            assertThatThrownBy(() -> gate.take(loose.key("id", 1), 1))
                    .hasMessageContaining("unique index on loose[id]");
        }
    }

    @Test
    void take_insideATxBody_isRefused() {
        try (BatchingWriter gate = BatchingWriter.open(db.source, TEA, ONE)) {
            Tx tx = Tx.on(db.source);
            assertThatThrownBy(() -> tx.call(c -> gate.take(key(1), 1))).isInstanceOf(TxException.Misuse.class);
            assertThatThrownBy(() -> tx.call(c -> gate.takeAsync(key(1), 1))).isInstanceOf(TxException.Misuse.class);
            assertThatIllegalArgumentException().isThrownBy(() -> gate.take(key(1), 0));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> BatchingWriter.open(db.source, TEA.split("shard", 2)))
                    .withMessageContaining("split");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Options.standard().writers(0));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Options.standard().queue(0));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Options.standard().deadline(Duration.ZERO));
        }
    }

    @Test
    void close_finishesWhatIsQueued_andRefusesWhatComesLater() throws Exception {
        BatchingWriter gate = BatchingWriter.open(db.source, TEA, ONE);
        List<CompletionStage<Answer>> queued = new ArrayList<>();
        CompletableFuture<BatchingWriter.Closed> closed;
        try (Connection holder = db.open()) {
            Database.run(holder, "SELECT FROM item WHERE id = 1 FOR UPDATE");
            queued.add(gate.takeAsync(key(1), 1));
            Waiting.sessions(db.source, 1);
            queued.add(gate.takeAsync(key(1), 1));
            queued.add(gate.takeAsync(key(2), 1));
            closed = Database.beside(() -> gate.close(Duration.ofSeconds(30)));
            while (!gate.isClosed()) {
                Thread.onSpinWait();
            }
            assertThat(gate.take(key(3), 1)).isInstanceOf(Take.Busy.class);
            holder.rollback();
        }
        assertThat(closed.get()).isEqualTo(new BatchingWriter.Closed(3, 0, 0));
        for (CompletionStage<Answer> answer : queued) {
            assertThat(answer.toCompletableFuture().get()).isInstanceOf(Take.Taken.class);
        }
        assertThat(gate.take(key(1), 1)).isInstanceOf(Take.Busy.class);
        gate.close();
    }

    @Test
    void close_atItsLimit_cancelsWhatIsInFlightAndRefusesTheRest() throws Exception {
        BatchingWriter gate = BatchingWriter.open(db.source, TEA, ONE);
        try (Connection holder = db.open()) {
            Database.run(holder, "SELECT FROM item WHERE id = 1 FOR UPDATE");
            CompletionStage<Answer> inFlight = gate.takeAsync(key(1), 1);
            Waiting.sessions(db.source, 1);
            CompletionStage<Answer> queued = gate.takeAsync(key(2), 1);
            assertThat(gate.close(Duration.ofMillis(1))).isEqualTo(new BatchingWriter.Closed(0, 2, 0));
            assertThat(inFlight.toCompletableFuture().get()).isInstanceOf(Take.Busy.class);
            assertThat(queued.toCompletableFuture().get()).isInstanceOf(Take.Busy.class);
        }
        assertThat(qty(1) + qty(2)).isEqualTo(20);
    }

    @Test
    void close_givesTheConnectionBackAsItWas() throws Exception {
        try (Connection c = db.source.getConnection()) {
            c.setAutoCommit(false);
            c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            DataSource kept = new Flaky(db.source).handingOut(c);
            try (BatchingWriter gate = BatchingWriter.open(kept, TEA, ONE)) {
                assertThat(gate.take(key(1), 1)).isEqualTo(new Take.Taken(9));
            }
            assertThat(c.getAutoCommit()).isFalse();
            assertThat(c.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            assertThat(c.getNetworkTimeout()).isZero();
            assertThat(Database.ask(
                            c,
                            "SELECT count(*) FROM pg_settings WHERE source = 'session'"
                                    + " AND name IN ('lock_timeout', 'statement_timeout', 'enable_seqscan', 'plan_cache_mode', 'jit')"
                                    + " AND setting <> reset_val"))
                    .isZero();
        }
    }

    @Test
    void take_besideAnotherProcessAndPlainSql_neverOversells() throws Exception {
        db.run("UPDATE item SET qty = 500 WHERE id <= 3");
        try (BatchingWriter here = BatchingWriter.open(db.source, TEA);
                BatchingWriter there = BatchingWriter.open(db.source, TEA)) {
            List<CompletableFuture<Integer>> sellers = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                BatchingWriter gate = i % 2 == 0 ? here : there;
                sellers.add(Database.beside(() -> sellOut(gate)));
            }
            sellers.add(Database.beside(this::sellOutByHand));
            int sold = 0;
            for (CompletableFuture<Integer> seller : sellers) {
                sold += seller.get();
            }
            assertThat(sold).isEqualTo(1500);
        }
        assertThat(db.ask("SELECT sum(qty) FROM item WHERE id <= 3")).isZero();
    }

    private static int sellOut(BatchingWriter gate) {
        int sold = 0;
        for (int id = 1; id <= 3; id++) {
            while (gate.take(key(id), 1) instanceof Take.Taken) {
                sold++;
            }
        }
        return sold;
    }

    private int sellOutByHand() throws SQLException {
        int sold = 0;
        try (Connection c = db.source.getConnection();
                var s = c.prepareStatement("UPDATE item SET qty = qty - 1 WHERE id = ? AND qty > 0")) {
            for (int id = 1; id <= 3; id++) {
                s.setInt(1, id);
                while (s.executeUpdate() == 1) {
                    sold++;
                }
            }
        }
        return sold;
    }
}
