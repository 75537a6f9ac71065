package dev.tiebreak;

import static dev.tiebreak.Db.number;
import static dev.tiebreak.Db.sql;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.Transaction;
import org.hibernate.cfg.Configuration;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A race joins the transaction of whoever owns it: a {@link Tx}, Spring, jOOQ or Hibernate. The loser's earlier writes are
 * gone under each of them.
 */
@ParameterizedClass
@ValueSource(ints = {15, 18})
class JoinTest {
    private static final String SCHEMA = """
            CREATE TABLE stock (item int PRIMARY KEY, qty int NOT NULL);
            INSERT INTO stock VALUES (1, 1);
            CREATE TABLE orders (id int PRIMARY KEY)""";

    private final Db db;

    JoinTest(int major) {
        db = new Db(major, Db.Reach.POOL).with(SCHEMA);
    }

    @AfterEach
    void close() {
        db.close();
    }

    /** The smallest race there is, in the shape of all of them. */
    sealed interface Take {
        record Taken() implements Take {}

        record SoldOut(int left) implements Take {}

        static Take one(Connection c) throws SQLException {
            try (PreparedStatement s =
                    c.prepareStatement("UPDATE stock SET qty = qty - 1 WHERE item = 1 AND qty > 0")) {
                return s.executeUpdate() == 1 ? new Taken() : new SoldOut(0);
            }
        }

        default Taken orRollback() {
            return switch (this) {
                case Taken won -> won;
                case SoldOut lost -> throw new Lost(lost);
            };
        }
    }

    private void assertSold(int orders) {
        assertThat(db.number("SELECT count(*) FROM orders")).isEqualTo(orders);
        assertThat(db.number("SELECT qty FROM stock")).isEqualTo(1 - orders);
    }

    @Test
    void tx_winnerCommits_loserLeavesNoOrder() {
        Tx tx = Tx.on(db.source);

        Take.Taken won = tx.call(c -> order(c, 1));
        assertThat(won).isNotNull();
        assertThatThrownBy(() -> tx.call(c -> order(c, 2)))
                .isInstanceOfSatisfying(Lost.class, e -> assertThat(e.outcome()).isEqualTo(new Take.SoldOut(0)));

        assertSold(1);
    }

    /** Writes first and races afterwards: the order that would be left behind by a loser who is not told. */
    private static Take.Taken order(Connection c, int id) throws SQLException {
        sql(c, "INSERT INTO orders VALUES (" + id + ")");
        return Take.one(c).orRollback();
    }

    @Test
    void spring_winnerCommits_loserLeavesNoOrder() {
        TransactionTemplate spring = new TransactionTemplate(new DataSourceTransactionManager(db.source));

        Take.Taken won = spring.execute(status -> springOrder(1));
        assertThat(won).isNotNull();
        assertThatThrownBy(() -> spring.execute(status -> springOrder(2))).isInstanceOf(Lost.class);

        assertSold(1);
    }

    private Take.Taken springOrder(int id) {
        int inserted = new JdbcTemplate(db.source).update("INSERT INTO orders VALUES (?)", id);
        assertThat(inserted).isEqualTo(1);
        Connection c = DataSourceUtils.getConnection(db.source);
        try {
            return Take.one(c).orRollback();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } finally {
            DataSourceUtils.releaseConnection(c, db.source);
        }
    }

    /** The failure comes at COMMIT, from Spring's transaction manager, as one of Spring's exceptions. */
    @Test
    void springUnderRetry_serializationFailureAtCommit_runsTheWholeMethodAgain() {
        TransactionTemplate spring = new TransactionTemplate(new DataSourceTransactionManager(db.source));
        spring.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
        JdbcTemplate jdbc = new JdbcTemplate(db.source);
        AtomicInteger runs = new AtomicInteger();

        Retry.adaptive()
                .run(() -> spring.executeWithoutResult(status -> {
                    Integer before = jdbc.queryForObject("SELECT count(*) FROM orders", Integer.class);
                    assertThat(before).isEqualTo(runs.get());
                    assertThat(jdbc.update("INSERT INTO orders VALUES (?)", 10 + runs.get()))
                            .isEqualTo(1);
                    if (runs.incrementAndGet() == 1) {
                        db.run("BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM orders;"
                                + " INSERT INTO orders VALUES (1); COMMIT");
                    }
                }));

        assertThat(runs).hasValue(2);
        assertThat(db.number("SELECT sum(id) FROM orders")).isEqualTo(1 + 11);
    }

    @Test
    void springInsideATx_onItsConnection_joins() {
        Tx.on(db.source).run(c -> {
            JdbcTemplate jdbc = new JdbcTemplate(new SingleConnectionDataSource(c, true));
            assertThat(jdbc.update("INSERT INTO orders VALUES (1)")).isEqualTo(1);
            assertThat(Take.one(c).orRollback()).isNotNull();
        });

        assertSold(1);
    }

    @Test
    void jooq_winnerCommits_loserLeavesNoOrder() {
        DSLContext jooq = DSL.using(db.source, SQLDialect.POSTGRES);

        Take.Taken won = jooq.transactionResult(tx -> jooqOrder(tx.dsl(), 1));
        assertThat(won).isNotNull();
        assertThatThrownBy(() -> jooq.transactionResult(tx -> jooqOrder(tx.dsl(), 2)))
                .isInstanceOf(Lost.class);

        assertSold(1);
    }

    private static Take.Taken jooqOrder(DSLContext jooq, int id) {
        assertThat(jooq.execute("INSERT INTO orders VALUES (?)", id)).isEqualTo(1);
        return jooq.connectionResult(c -> Take.one(c).orRollback());
    }

    @Test
    void jooqInsideATx_swallowedError_isNotCommitted() {
        assertThatThrownBy(() -> Tx.on(db.source).run(c -> {
                    DSLContext jooq = DSL.using(c, SQLDialect.POSTGRES);
                    assertThat(jooq.execute("INSERT INTO orders VALUES (1)")).isEqualTo(1);
                    assertThatThrownBy(() -> jooq.execute("INSERT INTO orders VALUES (1)"))
                            .isInstanceOf(org.jooq.exception.DataAccessException.class);
                }))
                .isInstanceOfSatisfying(TxException.NotCommitted.class, e -> assertThat(e.sqlState())
                        .isEqualTo("23505"));

        assertSold(0);
    }

    @Test
    void jooqInsideATx_conflictInJooqsException_isRunAgain() {
        AtomicInteger runs = new AtomicInteger();

        Tx.on(db.source).retrying(Retry.adaptive()).run(c -> {
            DSLContext jooq = DSL.using(c, SQLDialect.POSTGRES);
            assertThat(jooq.execute("INSERT INTO orders VALUES (1)")).isEqualTo(1);
            if (runs.incrementAndGet() == 1) {
                int unused = jooq.execute("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$");
            }
        });

        assertThat(runs).hasValue(2);
        assertThat(db.number("SELECT count(*) FROM orders")).isEqualTo(1);
    }

    /** jOOQ would commit in the middle of the body. */
    @Test
    void jooqTransactionInsideATx_isRefused() {
        assertThatThrownBy(() -> Tx.on(db.source).run(c -> DSL.using(c, SQLDialect.POSTGRES)
                        .transaction(tx -> assertThat(tx.dsl().execute("INSERT INTO orders VALUES (1)"))
                                .isEqualTo(1))))
                .rootCause()
                .isInstanceOf(TxException.Misuse.class)
                .hasMessageContaining("savepoint");

        assertSold(0);
    }

    /** An order as JPA sees it. */
    @Entity(name = "orders")
    static class Order {
        @Id
        int id;

        Order() {}

        Order(int id) {
            this.id = id;
        }
    }

    private SessionFactory hibernate() {
        return new Configuration()
                .addAnnotatedClass(Order.class)
                .setProperty("hibernate.connection.url", db.url)
                .setProperty("hibernate.connection.username", "postgres")
                .buildSessionFactory();
    }

    @Test
    void hibernate_winnerCommits_loserLeavesNoOrder() {
        try (SessionFactory factory = hibernate()) {
            assertThat(hibernateOrder(factory, 1)).isNotNull();
            assertThatThrownBy(() -> hibernateOrder(factory, 2)).isInstanceOf(Lost.class);
        }
        assertSold(1);
    }

    private static Take.Taken hibernateOrder(SessionFactory factory, int id) {
        try (Session session = factory.openSession()) {
            Transaction transaction = session.beginTransaction();
            try {
                session.persist(new Order(id));
                session.flush(); // Hibernate writes late: without this the race would not see the order
                Take.Taken won = session.doReturningWork(c -> {
                    assertThat(number(c, "SELECT count(*) FROM orders WHERE id = " + id))
                            .isEqualTo(1);
                    return Take.one(c).orRollback();
                });
                transaction.commit();
                return won;
            } catch (RuntimeException e) {
                transaction.rollback();
                throw e;
            }
        }
    }
}
