package dev.tiebreak.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.stock.Stock.GiveBack;
import dev.tiebreak.stock.Stock.Take;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "PostgreSQL {0}")
@ValueSource(ints = {15, 18})
class StockTest {
    private final Database db;

    StockTest(int pg) throws SQLException {
        db = new Database(pg);
        db.run("ALTER TABLE stock ADD CONSTRAINT \"never negative\" CHECK (qty >= 0)");
    }

    private static Stock stock(Cure cure) {
        return cure.of(Stock.of(Database.STOCK, "qty"));
    }

    @ParameterizedTest
    @EnumSource
    void take_asLongAsThereIsEnough_takesAllOrNothing(Cure cure) throws SQLException {
        db.stock(7, 5);
        Stock tea = stock(cure);
        Tx tx = cure.tx(db.source);
        assertThat((Object) tx.call(c -> tea.take(c, Database.key(7), 2))).isEqualTo(new Take.Taken(3));
        assertThat((Object) tx.call(c -> tea.take(c, Database.key(7), 4))).isEqualTo(new Take.SoldOut(3));
        assertThat((Object) tx.call(c -> tea.take(c, Database.key(7), 3))).isEqualTo(new Take.Taken(0));
        assertThat((Object) tx.call(c -> tea.take(c, Database.key(7), 1))).isEqualTo(new Take.SoldOut(0));
        assertThat((Object) tx.call(c -> tea.giveBack(c, Database.key(7), 2))).isEqualTo(new GiveBack.GivenBack(2));
        assertThat(db.qty(7)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void take_severalInOneTransaction_seesItsOwnEarlierTakes(Cure cure) throws SQLException {
        db.stock(7, 5);
        Stock tea = stock(cure);
        cure.tx(db.source).run(c -> {
            assertThat(tea.take(c, Database.key(7), 3)).isEqualTo(new Take.Taken(2));
            assertThat(tea.take(c, Database.key(7), 3)).isEqualTo(new Take.SoldOut(2));
            assertThat(tea.take(c, Database.key(7), 2)).isEqualTo(new Take.Taken(0));
        });
        assertThat(db.qty(7)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void take_ofARowThatIsNotThere_isAbsent(Cure cure) throws SQLException {
        Stock tea = stock(cure);
        Tx tx = cure.tx(db.source);
        assertThat((Object) tx.call(c -> tea.take(c, Database.key(404), 1)))
                .isEqualTo(new Take.Absent(Database.key(404)));
        assertThat((Object) tx.call(c -> tea.giveBack(c, Database.key(404), 1)))
                .isEqualTo(new GiveBack.Absent(Database.key(404)));
    }

    @ParameterizedTest
    @EnumSource
    void orRollback_ofALoser_takesItsEarlierWritesWithIt(Cure cure) throws SQLException {
        db.stock(7, 0);
        Stock tea = stock(cure);
        assertThatThrownBy(() -> cure.tx(db.source).run(c -> {
                    try (Statement s = c.createStatement()) {
                        s.execute("INSERT INTO note VALUES ('an order without a unit')");
                    }
                    assertThat(tea.take(c, Database.key(7), 1).orRollback()).isNotNull();
                }))
                .isInstanceOfSatisfying(
                        Lost.class, lost -> assertThat(lost.outcome()).isEqualTo(new Take.SoldOut(0)));
        assertThat(db.ask("SELECT count(*) FROM note")).isZero();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SERIALIZABLE")
    void take_ofTheLastUnitWhileAnotherHoldsIt_waitsForTheTruth(Cure cure) throws Exception {
        Stock tea = stock(cure);
        for (boolean otherCommits : new boolean[] {true, false}) {
            db.stock(7, 1);
            try (Connection other = db.open()) {
                assertThat(tea.take(other, Database.key(7), 1)).isEqualTo(new Take.Taken(0));
                CompletableFuture<Take> answer =
                        Database.beside(() -> cure.tx(db.source).call(c -> tea.take(c, Database.key(7), 1)));
                Waiting.sessions(db.source, 1);
                if (otherCommits) {
                    other.commit();
                    assertThat(answer.get()).isEqualTo(new Take.SoldOut(0));
                } else {
                    other.rollback();
                    assertThat(answer.get()).isEqualTo(new Take.Taken(0));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SERIALIZABLE", "ADVISORY"})
    void take_inAutocommit_isItsOwnTransaction(Cure cure) throws SQLException {
        db.stock(7, 1);
        try (Connection c = db.source.getConnection()) {
            assertThat(stock(cure).take(c, Database.key(7), 1)).isEqualTo(new Take.Taken(0));
            assertThat(stock(cure).take(c, Database.key(7), 1)).isEqualTo(new Take.SoldOut(0));
        }
        assertThat(db.qty(7)).isZero();
    }

    @Test
    void take_ofNothing_isRefused() throws SQLException {
        Stock tea = stock(Cure.CONDITIONAL);
        try (Connection c = db.open()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> tea.take(c, Database.key(7), 0))
                    .withMessage("n must be at least 1, not 0, for stock(id=7)");
            assertThatIllegalArgumentException().isThrownBy(() -> tea.giveBack(c, Database.key(7), -1));
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () -> tea.take(c, Table.of("other").keyedBy("id").key("id", 7), 1))
                    .withMessageContaining("other(id=7) is not a key of stock");
        }
    }

    @Test
    void take_fromATableOrColumnThatIsNotThere_namesIt() throws SQLException {
        try (Connection c = db.source.getConnection()) {
            Table missing = Table.of("stok").keyedBy("id");
            assertThatThrownBy(() -> Stock.of(missing, "qty").take(c, missing.key("id", 1), 1))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("\"stok\" does not exist");
            assertThatThrownBy(() -> Stock.of(Database.STOCK, "qyt").take(c, Database.key(1), 1))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("qyt does not exist");
        }
    }

    @Test
    void take_whereTheKeyIsNotUnique_isAnErrorAndNoSale() throws SQLException {
        db.stock(7, 3, 3);
        assertThatIllegalStateException()
                .isThrownBy(() -> Tx.on(db.source).run(c -> {
                    assertThat(stock(Cure.CONDITIONAL).take(c, Database.key(7), 1))
                            .isNotNull();
                }))
                .withMessageContaining("stock(id=7) names more than one row");
        assertThat(db.qty(7)).isEqualTo(6);
    }

    @Test
    void take_whereATriggerSuppressesTheUpdate_isAnErrorAndNotSoldOut() throws SQLException {
        db.stock(7, 3);
        db.run("""
            CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
            CREATE TRIGGER no BEFORE UPDATE ON stock FOR EACH ROW EXECUTE FUNCTION no()""");
        try (Connection c = db.open()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> stock(Cure.CONDITIONAL).take(c, Database.key(7), 1))
                    .withMessageContaining("the UPDATE changed no row");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"smallint", "bigint", "numeric"})
    void take_fromAnyWholeNumberColumn_works(String type) throws SQLException {
        db.run("CREATE TABLE \"of " + type + "\" (id uuid PRIMARY KEY, qty " + type + ")");
        Table table = Table.of("of " + type).keyedBy("id");
        String id = new java.util.UUID(0, 1).toString();
        db.run("INSERT INTO \"of " + type + "\" VALUES ('" + id + "', 3)");
        try (Connection c = db.source.getConnection()) {
            assertThat(Stock.of(table, "qty").take(c, table.key("id", id), 2)).isEqualTo(new Take.Taken(1));
            assertThat(Stock.of(table, "qty").pessimistic().take(c, table.key("id", java.util.UUID.fromString(id)), 2))
                    .isEqualTo(new Take.SoldOut(1));
        }
    }

    @Test
    void listening_hearsNameStrategyOutcomeAndAttempts_andMayFail() throws SQLException {
        db.stock(7, 1);
        List<RaceListener.Event> heard = new ArrayList<>();
        Stock tea = stock(Cure.PESSIMISTIC).named("tea sale").listening(event -> {
            heard.add(event);
            throw new IllegalStateException("a broken metric");
        });
        try (Connection c = db.source.getConnection()) {
            assertThat(tea.take(c, Database.key(7), 1)).isInstanceOf(Take.Taken.class);
            assertThat(tea.take(c, Database.key(7), 1)).isInstanceOf(Take.SoldOut.class);
        }
        assertThat(heard)
                .extracting(RaceListener.Event::race, RaceListener.Event::strategy, RaceListener.Event::outcome)
                .containsExactly(
                        org.assertj.core.api.Assertions.tuple("tea sale", "pessimistic", "Taken"),
                        org.assertj.core.api.Assertions.tuple("tea sale", "pessimistic", "SoldOut"));
        assertThat(heard.getFirst().attempts()).isEqualTo(1);
        assertThat(heard.getFirst().waited()).isPositive();
    }

    @Test
    void advisoryNumber_isTheSameInEveryRelease() {
        Table shop = Table.of("shop", "stock").keyedBy("org", "item");
        assertThat(AdvisoryGate.number(shop.key("item", 7, "org", "a")))
                .isEqualTo(AdvisoryGate.number(shop.key("org", "a", "item", 7L)));
        assertThat(AdvisoryGate.number(shop.key("org", "a", "item", 7))).isEqualTo(-7_204_505_994_998_759_829L);
        Table coupon = Table.of("coupon").keyedBy("digest");
        assertThat(AdvisoryGate.number(coupon.key("digest", new byte[] {1, -1})))
                .isEqualTo(AdvisoryGate.number(coupon.key("digest", "\\x01ff")));
    }
}
