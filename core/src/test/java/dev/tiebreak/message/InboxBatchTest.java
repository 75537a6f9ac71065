package dev.tiebreak.message;

import static dev.tiebreak.message.Done.DONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Codec;
import dev.tiebreak.Tx;
import dev.tiebreak.TxException;
import dev.tiebreak.message.Inbox.Once;
import dev.tiebreak.schema.Schema;
import dev.tiebreak.testing.Db;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Effects that are SQL, and batches of both kinds. */
@ParameterizedClass
@ValueSource(ints = {15, 18})
class InboxBatchTest {
    private static final String PAY = "UPDATE account SET cents = cents + ? FROM {new} WHERE account.id = ?";
    private static final String PAY_ALL = """
            UPDATE account SET cents = account.cents + d.cents
            FROM (SELECT (b ->> 'account')::bigint AS id, sum((b ->> 'cents')::bigint) AS cents
                FROM (SELECT convert_from(body, 'UTF8')::jsonb AS b FROM {new}) n GROUP BY 1) d
            WHERE account.id = d.id""";

    private final Db db;
    private final Tx tx;
    private final Inbox<Done> payments = Inbox.of("payments");
    private final Inbox<String> orders = Inbox.of("orders", Codec.text());

    InboxBatchTest(int major) {
        this.db = Db.on(major);
        this.tx = Tx.on(db.source());
    }

    private Object outcome(Tx.Body<?, RuntimeException> body) {
        return tx.call(body);
    }

    private List<Once<String>> list(Tx.Body<List<Once<String>>, RuntimeException> body) {
        return tx.call(body);
    }

    @BeforeEach
    void tables() throws SQLException {
        List<String> unused = Schema.standard().install(db.source());
        db.run("CREATE TABLE account (id bigint PRIMARY KEY, cents bigint NOT NULL);"
                + " INSERT INTO account SELECT i, 0 FROM generate_series(1, 10) i");
    }

    private static Delivery delivery(int id, int account) {
        return Delivery.of("evt_" + id, "{\"account\": " + account + ", \"cents\": 5}");
    }

    private long cents() throws SQLException {
        return db.number("SELECT sum(cents) FROM account");
    }

    private long receipts() throws SQLException {
        return db.number("SELECT count(*) FROM tiebreak.inbox");
    }

    @Test
    void onceSql_inAutocommit_receiptAndEffectAreOneCommit() throws SQLException {
        try (Connection c = db.source().getConnection()) {
            assertThat(payments.onceSql(c, delivery(1, 7), DONE, PAY, 5, 7)).isEqualTo(new Once.Applied<>(DONE));
            assertThat(payments.onceSql(c, delivery(1, 7), DONE, PAY, 5, 7)).isEqualTo(new Once.Duplicate<>(DONE));
            assertThat(payments.onceSql(c, delivery(1, 8), DONE, PAY, 5, 8)).isEqualTo(new Once.Mismatch<>("evt_1"));
        }
        assertThat(cents()).isEqualTo(5);
    }

    @Test
    void onceSql_duplicate_isToldTheFirstResult() {
        String insert = "INSERT INTO account SELECT ?, length(body) FROM {new}";
        assertThat(outcome(c -> orders.onceSql(c, delivery(1, 7), "order 11", insert, 11)))
                .isEqualTo(new Once.Applied<>("order 11"));
        assertThat(outcome(c -> orders.onceSql(c, delivery(1, 7), "order 12", insert, 12)))
                .isEqualTo(new Once.Duplicate<>("order 11"));
        assertThat(outcome(c -> orders.once(c, delivery(1, 7), d -> "order 13")))
                .isEqualTo(new Once.Duplicate<>("order 11"));
    }

    @Test
    void onceSql_effectChangesNoRow_failsAndLeavesNoReceipt() throws SQLException {
        assertThatThrownBy(() -> tx.run(c ->
                        payments.onceSql(c, delivery(1, 99), DONE, PAY, 5, 99).orRollback()))
                .isInstanceOfSatisfying(
                        TxException.Failed.class, e -> assertThat(e.sqlState()).isEqualTo("02000"))
                .hasMessageContaining("the effect changed no row");
        assertThatThrownBy(() -> tx.run(c -> payments.onceAllSql(c, List.of(delivery(1, 99)), d -> DONE, PAY_ALL)
                        .getFirst()
                        .orRollback()))
                .isInstanceOfSatisfying(
                        TxException.Failed.class, e -> assertThat(e.sqlState()).isEqualTo("02000"));
        assertThat(receipts()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE account SET cents = 5",
                "SELECT pay(id) FROM {new}",
                "WITH x AS (SELECT 1) UPDATE account SET cents = 5 FROM {new}",
                ""
            })
    void onceSql_effectThatCouldNotBeForNewOnesOnly_refused(String sql) {
        assertThatThrownBy(() -> tx.run(
                        c -> payments.onceSql(c, delivery(1, 7), DONE, sql).orRollback()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void onceSql_manyAtOnce_eachOnce() throws Exception {
        AtomicInteger next = new AtomicInteger();
        List<Integer> applied = Db.together(6, () -> {
            int mine = 0;
            try (Connection c = db.source().getConnection()) {
                for (int i = next.getAndIncrement(); i < 300; i = next.getAndIncrement()) {
                    int id = i / 3;
                    int account = id % 10 + 1;
                    Once<Done> answer = payments.onceSql(c, delivery(id, account), DONE, PAY, 5, account);
                    mine += answer instanceof Once.Applied<Done> ? 1 : 0;
                }
            }
            return mine;
        });
        assertThat(applied.stream().mapToInt(i -> i).sum()).isEqualTo(100);
        assertThat(cents()).isEqualTo(500);
    }

    @Test
    void onceAll_someKnownSomeTwice_effectSeesTheNewOnesInOrder() {
        Once<String> unused = tx.call(c -> orders.once(c, delivery(2, 1), d -> "old 2"));
        List<Delivery> batch =
                List.of(delivery(3, 1), delivery(2, 1), delivery(1, 1), delivery(3, 1), delivery(1, 9), delivery(2, 9));
        List<String> seen = new ArrayList<>();

        List<Once<String>> answers = tx.call(c -> orders.onceAll(c, batch, (d, fresh) -> {
            fresh.forEach(one -> seen.add(one.id()));
            return fresh.stream().map(one -> "new " + one.id()).toList();
        }));

        assertThat(seen).containsExactly("evt_3", "evt_1");
        assertThat(answers)
                .containsExactly(
                        new Once.Applied<>("new evt_3"),
                        new Once.Duplicate<>("old 2"),
                        new Once.Applied<>("new evt_1"),
                        new Once.Duplicate<>("new evt_3"),
                        new Once.Mismatch<>("evt_1"),
                        new Once.Mismatch<>("evt_2"));
        assertThat(list(c -> orders.onceAll(c, batch.subList(0, 3), (d, fresh) -> {
                    throw new IllegalStateException("called for nothing new");
                })))
                .containsExactly(
                        new Once.Duplicate<>("new evt_3"),
                        new Once.Duplicate<>("old 2"),
                        new Once.Duplicate<>("new evt_1"));
    }

    @Test
    void onceAll_empty_isNothing() {
        List<Once<String>> answers = tx.call(c -> orders.onceAll(c, List.of(), (d, fresh) -> List.of()));
        assertThat(answers).isEmpty();
        List<Once<Done>> nothing = tx.call(c -> payments.onceAllSql(c, List.of(), d -> DONE, PAY_ALL));
        assertThat(nothing).isEmpty();
    }

    @Test
    void onceAll_tooMany_refused() {
        List<Delivery> many = Collections.nCopies(10_001, delivery(1, 1));
        assertThatThrownBy(() -> tx.call(c -> orders.onceAll(c, many, (d, fresh) -> List.of()))
                        .size())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("10001");
    }

    @Test
    void onceAll_oneOffender_aloneFailsWhenDoneOneByOne() throws SQLException {
        List<Delivery> batch = IntStream.range(0, 5)
                .mapToObj(i -> delivery(i, i == 3 ? 99 : 1))
                .toList();
        Inbox.Effects<String, RuntimeException> effect = (c, fresh) -> {
            List<String> results = new ArrayList<>();
            for (Delivery one : fresh) {
                if (one.text().contains("99")) {
                    throw new IllegalStateException("no account 99");
                }
                Db.run(c, "UPDATE account SET cents = cents + 5 WHERE id = 1");
                results.add("ok " + one.id());
            }
            return results;
        };
        assertThatThrownBy(() ->
                        tx.run(c -> assertThat(orders.onceAll(c, batch, effect)).isNotNull()))
                .hasMessage("no account 99");
        assertThat(receipts() + cents()).isZero();

        int failed = 0;
        for (Delivery one : batch) {
            try {
                String unused = tx.call(
                        c -> orders.onceAll(c, List.of(one), effect).getFirst().orRollback());
            } catch (IllegalStateException e) {
                failed++;
            }
        }
        assertThat(failed).isEqualTo(1);
        assertThat(receipts()).isEqualTo(4);
        assertThat(cents()).isEqualTo(20);
    }

    @Test
    void onceAll_notAsManyResults_failsAndLeavesNothing() throws SQLException {
        assertThatThrownBy(() -> tx.run(c -> {
                    try {
                        List<Once<String>> unused = orders.onceAll(
                                c, List.of(delivery(1, 1), delivery(2, 1)), (d, fresh) -> List.of("one"));
                    } catch (IllegalStateException e) {
                        assertThat(e).hasMessageContaining("2 deliveries").hasMessageContaining("1 results");
                    }
                }))
                .isInstanceOf(TxException.NotCommitted.class);
        assertThat(receipts()).isZero();
    }

    @Test
    void onceAll_overlappingBatchesInOppositeOrders_noDeadlockAndEachOnce() throws Exception {
        AtomicInteger seed = new AtomicInteger();
        List<Integer> applied = Db.together(4, () -> {
            Random random = new Random(seed.incrementAndGet());
            Tx own = Tx.on(db.kept());
            int mine = 0;
            for (int round = 0; round < 15; round++) {
                List<Delivery> batch = new ArrayList<>();
                for (int i = 0; i < 40; i++) {
                    batch.add(delivery(round * 10 + i, 1));
                }
                Collections.shuffle(batch, random);
                boolean sql = round % 2 == 0;
                List<Once<Done>> answers = own.call(c -> sql
                        ? payments.onceAllSql(c, batch, d -> DONE, PAY_ALL)
                        : payments.onceAll(c, batch, (d, fresh) -> {
                            Db.run(d, "UPDATE account SET cents = cents + 5 * " + fresh.size() + " WHERE id = 1");
                            return Collections.nCopies(fresh.size(), DONE);
                        }));
                assertThat(answers).hasSize(40);
                mine += (int) answers.stream()
                        .filter(o -> o instanceof Once.Applied<Done>)
                        .count();
            }
            return mine;
        });
        assertThat(applied.stream().mapToInt(i -> i).sum()).isEqualTo(180);
        assertThat(receipts()).isEqualTo(180);
        assertThat(cents()).isEqualTo(900);
    }

    @Test
    void onceAllSql_tenThousand_inOneStatement() throws SQLException {
        List<Delivery> batch = IntStream.range(0, 10_000)
                .mapToObj(i -> delivery(i, i % 10 + 1))
                .toList();
        try (Connection c = db.source().getConnection()) {
            for (int run = 0; run < 8; run++) { // also with the plan that the server keeps
                assertThat(payments.onceAllSql(c, batch, d -> DONE, PAY_ALL)).hasSize(10_000);
            }
        }
        assertThat(cents()).isEqualTo(50_000);
    }
}
