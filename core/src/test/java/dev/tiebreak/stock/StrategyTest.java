package dev.tiebreak.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Tx;
import dev.tiebreak.embedded.Server;
import dev.tiebreak.stock.Stock.Rebalance;
import dev.tiebreak.stock.Stock.Take;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What only one strategy does. */
@ParameterizedClass(name = "PostgreSQL {0}")
@ValueSource(ints = {15, 18})
class StrategyTest {
    private static final Stock TEA = Stock.of(Database.STOCK, "qty");

    private final int pg;
    private final Database db;

    StrategyTest(int pg) throws SQLException {
        this.pg = pg;
        this.db = new Database(pg);
    }

    @Test
    void constraint_ofAnotherName_isAnErrorAndNotSoldOut() throws SQLException {
        db.stock(7, 1);
        db.run("ALTER TABLE stock ADD CONSTRAINT other CHECK (qty >= 0)");
        try (Connection c = db.open()) {
            assertThatThrownBy(() -> TEA.constraint("never negative").take(c, Database.key(7), 2))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23514"));
        }
    }

    @Test
    void constraint_violated_leavesTheTransactionAliveAndNoSavepointBehind() throws SQLException {
        db.stock(7, 100);
        db.run("ALTER TABLE stock ADD CONSTRAINT \"never negative\" CHECK (qty >= 0)");
        Stock tea = TEA.constraint("never negative");
        Tx.on(db.source).run(c -> {
            try (Statement s = c.createStatement()) {
                s.execute("INSERT INTO note VALUES ('kept')");
            }
            for (int i = 0; i < 20; i++) {
                assertThat(tea.take(c, Database.key(7), 101)).isEqualTo(new Take.SoldOut(100 - i));
                assertThat(tea.take(c, Database.key(7), 1)).isEqualTo(new Take.Taken(99 - i));
            }
            assertThatThrownBy(() -> {
                        try (Statement s = c.createStatement()) {
                            s.execute("SAVEPOINT mine; RELEASE SAVEPOINT tiebreak_take");
                        }
                    })
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("3B001"));
            try (Statement s = c.createStatement()) {
                s.execute("ROLLBACK TO SAVEPOINT mine");
            }
        });
        assertThat(db.qty(7)).isEqualTo(80);
        assertThat(db.ask("SELECT count(*) FROM note")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"always", "conservative"})
    void constraintAndSplit_withTheDriversOwnSavepoints_work(String autosave) throws SQLException {
        String url = Server.shared(pg).newDatabase() + "&autosave=" + autosave;
        Tx tx = Tx.on(Server.dataSource(url));
        tx.run(c -> {
            try (Statement s = c.createStatement()) {
                s.execute("CREATE TABLE stock (id int, shard int, qty int CONSTRAINT enough CHECK (qty >= 0))");
                s.execute("INSERT INTO stock VALUES (7, 0, 1)");
            }
        });
        tx.run(c -> {
            assertThat(TEA.constraint("enough").take(c, Database.key(7), 2)).isEqualTo(new Take.SoldOut(1));
            assertThat(TEA.split("shard", 2).take(c, Database.key(7), 2)).isEqualTo(new Take.SoldOut(1));
            assertThat(TEA.split("shard", 2).take(c, Database.key(7), 1)).isEqualTo(new Take.Taken(0));
            assertThat(TEA.constraint("enough").take(c, Database.key(7), 1)).isEqualTo(new Take.SoldOut(0));
        });
    }

    @Test
    void optimistic_raisesTheVersionWithEveryChange() throws SQLException {
        db.stock(7, 5);
        Stock tea = TEA.optimistic("version");
        Tx.on(db.source).run(c -> {
            assertThat(tea.take(c, Database.key(7), 1)).isInstanceOf(Take.Taken.class);
            assertThat(tea.giveBack(c, Database.key(7), 1).orRollback().left()).isEqualTo(5);
            assertThat(tea.take(c, Database.key(7), 6)).isInstanceOf(Take.SoldOut.class);
        });
        assertThat(db.ask("SELECT version FROM stock WHERE id = 7")).isEqualTo(2);
    }

    @Test
    void optimistic_overtakenEveryTime_isBusyAndTookNothing() throws SQLException {
        db.stock(7, 100);
        Stock tea = TEA.optimistic("version", 3);
        try (Connection c = db.open()) {
            Connection overtaken = before(
                    c, "AND t.\"version\" = ?", "UPDATE stock SET qty = qty - 1, version = version + 1 WHERE id = 7");
            Take outcome = tea.take(overtaken, Database.key(7), 1);
            assertThat(outcome).isInstanceOfSatisfying(Take.Busy.class, busy -> {
                assertThat(busy.attempts()).isEqualTo(3);
                assertThat(busy.waited()).isPositive();
            });
            c.commit();
        }
        assertThat(db.qty(7)).isEqualTo(97);
    }

    @Test
    void optimistic_besideAWriterThatIgnoresTheVersion_doesNotOversell() throws SQLException {
        db.stock(7, 1);
        try (Connection c = db.open()) {
            Connection overtaken = before(c, "AND t.\"version\" = ?", "UPDATE stock SET qty = 0 WHERE id = 7");
            assertThat(TEA.optimistic("version").take(overtaken, Database.key(7), 1))
                    .isEqualTo(new Take.SoldOut(0));
            c.commit();
        }
        assertThat(db.qty(7)).isZero();
    }

    @Test
    void optimistic_withoutAttempts_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> TEA.optimistic("version", 0));
        assertThatIllegalArgumentException().isThrownBy(() -> TEA.split("shard", 1));
        assertThatIllegalArgumentException().isThrownBy(() -> TEA.constraint(""));
    }

    @Test
    void split_whenNoShardHasEnough_spansThemAndLeavesNothingUnsold() throws SQLException {
        db.stock(7, 2, 1, 2);
        Stock tea = TEA.split("shard", 3);
        Tx tx = Tx.on(db.source);
        assertThat((Object) tx.call(c -> tea.take(c, Database.key(7), 4))).isEqualTo(new Take.Taken(1));
        assertThat((Object) tx.call(c -> tea.take(c, Database.key(7), 2))).isEqualTo(new Take.SoldOut(1));
        assertThat((Object) tx.call(c -> tea.take(c, Database.key(7), 1))).isEqualTo(new Take.Taken(0));
        assertThat(db.qty(7)).isZero();
    }

    @Test
    void split_whoseShardIsDrainedWhileItWaits_givesTheLockBackBeforeItLocksAll() throws Exception {
        db.stock(7, 0, 1);
        Stock tea = TEA.split("shard", 2);
        try (Connection other = db.open();
                Connection loser = db.open();
                Connection third = db.open()) {
            assertThat(tea.take(other, Database.key(7), 1)).isEqualTo(new Take.Taken(0));
            Database.run(third, "SELECT FROM stock WHERE id = 7 AND shard = 0 FOR UPDATE");
            CompletableFuture<Take> answer = Database.beside(() -> tea.take(loser, Database.key(7), 1));
            Waiting.sessions(db.source, 1);
            other.commit();
            // Now the loser wants shard 0, too. If it still held shard 1, this would be a deadlock.
            Database.run(third, "SELECT FROM stock WHERE id = 7 AND shard = 1 FOR UPDATE");
            third.commit();
            assertThat(answer.get()).isEqualTo(new Take.SoldOut(0));
            loser.rollback();
        }
    }

    @Test
    void rebalance_spreadsWhatIsLeftEvenly() throws SQLException {
        db.stock(7, 0, 0, 11, 0);
        Stock tea = TEA.split("shard", 4);
        Tx tx = Tx.on(db.source);
        assertThat((Object) tx.call(c -> tea.rebalance(c, Database.key(7)))).isEqualTo(new Rebalance.Rebalanced(11));
        assertThat(db.ask("SELECT count(*) FROM stock WHERE qty = 3")).isEqualTo(3);
        assertThat(db.ask("SELECT count(*) FROM stock WHERE qty = 2")).isEqualTo(1);
        assertThat((Object) tx.call(c -> tea.rebalance(c, Database.key(404))))
                .isEqualTo(new Rebalance.Absent(Database.key(404)));
        assertThatThrownBy(() -> tx.call(c -> TEA.rebalance(c, Database.key(7))))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    /** The same connection, but this runs elsewhere and commits just before a statement with this text is prepared. */
    private Connection before(Connection c, String text, String sql) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("prepareStatement")
                            && args[0].toString().contains(text)) {
                        db.run(sql);
                    }
                    try {
                        return method.invoke(c, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
