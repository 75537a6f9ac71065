package dev.tiebreak.prove;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tiebreak.embedded.Server;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Function;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The ways in which people reach a database: a pool, Spring, jOOQ and Hibernate, made once as in an application. */
class FrameworksTest {
    private static final String RESET = "TRUNCATE stock; INSERT INTO stock VALUES (1, 1, 0)";
    private static final DataSource SOURCE = database();

    private static DataSource database() {
        DataSource source = Server.dataSource(Server.shared(Server.NEWEST).newDatabase());
        try (Connection c = source.getConnection();
                Statement s = c.createStatement()) {
            s.execute("CREATE TABLE stock (id int PRIMARY KEY, qty int NOT NULL, version int NOT NULL)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return source;
    }

    /** The same purchase twice; what it returns is whether the unit was had. */
    private static Verdict race(DataSource racing, Proof.Session buy) {
        return Proof.on(racing)
                .reset(RESET)
                .session("ana", buy)
                .session("ben", buy)
                .invariant("never below zero", "SELECT qty >= 0 FROM stock")
                .explore();
    }

    private static void assertViolated(Verdict verdict) {
        assertThat(verdict).as(verdict.text()).isInstanceOf(Verdict.Violated.class);
        assertThat(((Verdict.Violated) verdict).preemptions()).isEqualTo(1);
    }

    @Test
    void pool_naiveAndConditionalPurchase_areTold() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(SOURCE);
        config.setMaximumPoolSize(4);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            JdbcTemplate plain = new JdbcTemplate(Proof.racing(pool));
            assertViolated(race(pool, ds -> {
                Integer left = plain.queryForObject("SELECT qty FROM stock WHERE id = 1", Integer.class);
                return left != null && left > 0 && plain.update("UPDATE stock SET qty = qty - 1 WHERE id = 1") == 1;
            }));
            race(pool, ds -> plain.update("UPDATE stock SET qty = qty - 1 WHERE id = 1 AND qty > 0") == 1)
                    .assertProved();
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    @Test
    void spring_transactionTemplate_isTold() {
        DataSource racing = Proof.racing(SOURCE);
        JdbcTemplate jdbc = new JdbcTemplate(racing);
        TransactionTemplate transactions = new TransactionTemplate(new DataSourceTransactionManager(racing));

        Function<String, Proof.Session> buy = lock -> ds -> transactions.execute(status -> {
            Integer left = jdbc.queryForObject("SELECT qty FROM stock WHERE id = ?" + lock, Integer.class, 1);
            if (left == null || left == 0) {
                status.setRollbackOnly();
                return false;
            }
            return jdbc.update("UPDATE stock SET qty = ? WHERE id = ?", left - 1, 1) == 1;
        });

        assertViolated(race(racing, buy.apply("")));
        race(racing, buy.apply(" FOR NO KEY UPDATE")).assertProved();
    }

    @Test
    void jooq_transaction_isTold() {
        DataSource racing = Proof.racing(SOURCE);
        DSLContext dsl = DSL.using(racing, SQLDialect.POSTGRES);

        Function<Boolean, Proof.Session> buy = locked -> ds -> dsl.transactionResult(tx -> {
            var id = DSL.field("id", Integer.class);
            var qty = DSL.field("qty", Integer.class);
            var query = tx.dsl().select(qty).from("stock").where(id.eq(1));
            Integer left = (locked ? query.forNoKeyUpdate() : query).fetchSingle(qty);
            return left != null
                    && left > 0
                    && tx.dsl()
                                    .update(DSL.table("stock"))
                                    .set(qty, left - 1)
                                    .where(id.eq(1))
                                    .execute()
                            == 1;
        });

        assertViolated(race(racing, buy.apply(false)));
        race(racing, buy.apply(true)).assertProved();
    }

    /** A row with the version column that Hibernate checks. */
    @Entity(name = "Stock")
    @Table(name = "stock")
    static class Stock {
        @Id
        int id;

        int qty;

        @Version
        int version;
    }

    @Test
    void hibernate_versionAndPessimisticLock_areTold() {
        DataSource racing = Proof.racing(SOURCE);
        Configuration configuration = new Configuration().addAnnotatedClass(Stock.class);
        configuration.getProperties().put("hibernate.connection.datasource", racing);
        configuration.getProperties().put("hibernate.show_sql", "false");
        try (SessionFactory factory = configuration.buildSessionFactory()) {
            Function<LockModeType, Proof.Session> buy = mode -> ds -> factory.fromTransaction(session -> {
                Stock stock = session.find(Stock.class, 1, mode);
                if (stock.qty > 0) {
                    stock.qty--;
                    return true;
                }
                return false;
            });

            Verdict optimistic = Proof.on(racing)
                    .reset(RESET)
                    .session("ana", buy.apply(LockModeType.NONE))
                    .session("ben", buy.apply(LockModeType.NONE))
                    .allow(OptimisticLockException.class)
                    .invariant("never below zero", "SELECT qty >= 0 FROM stock")
                    .explore();

            optimistic.assertProved();
            assertViolated(race(racing, buy.apply(LockModeType.NONE)));
            race(racing, buy.apply(LockModeType.PESSIMISTIC_WRITE)).assertProved();
        }
    }
}
