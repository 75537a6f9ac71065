package dev.tiebreak.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.stock.Stock.TakeAll;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CartTest {
    private static final Stock TEA = Stock.of(Database.STOCK, "qty");

    private static Map<Key, Long> cart(long... idsAndUnits) {
        Map<Key, Long> cart = new LinkedHashMap<>();
        for (int i = 0; i < idsAndUnits.length; i += 2) {
            cart.put(Database.key(idsAndUnits[i]), idsAndUnits[i + 1]);
        }
        return cart;
    }

    @ParameterizedTest
    @EnumSource
    void takeAll_isAllOrNothing_andSaysWhichKeysFailed(Cure cure) throws SQLException {
        Database db = new Database(cure == Cure.SPLIT ? 15 : 18);
        db.run("ALTER TABLE stock ADD CONSTRAINT \"never negative\" CHECK (qty >= 0)");
        Table table = Database.STOCK;
        Stock tea =
                switch (cure) {
                    case CONDITIONAL -> TEA;
                    case CONSTRAINT -> TEA.constraint("never negative");
                    case PESSIMISTIC -> TEA.pessimistic();
                    case OPTIMISTIC -> TEA.optimistic("version");
                    case SERIALIZABLE -> TEA.serializable();
                    case ADVISORY -> TEA.advisory();
                    case SPLIT -> TEA.split("shard", 3);
                };
        db.stock(1, 5);
        db.stock(2, 1);
        db.stock(3, 9);
        Tx tx = cure.tx(db.source);
        assertThat((Object) tx.call(c -> tea.takeAll(c, cart(3, 4, 1, 2))))
                .isEqualTo(new TakeAll.TakenAll(cart(3, 5, 1, 3)));
        assertThat((Object) tx.call(c -> tea.takeAll(c, cart(3, 1, 2, 2, 1, 1))))
                .isEqualTo(new TakeAll.SoldOut(cart(2, 1)));
        assertThat((Object) tx.call(c -> tea.takeAll(c, cart(3, 1, 404, 1))))
                .isEqualTo(new TakeAll.Absent(table.key("id", 404)));
        assertThat(db.qty(1)).isEqualTo(3);
        assertThat(db.qty(2)).isEqualTo(1);
        assertThat(db.qty(3)).isEqualTo(5);
        assertThat(db.ask("SELECT max(version) FROM stock")).isEqualTo(cure == Cure.OPTIMISTIC ? 1 : 0);
        assertThatThrownBy(() -> tx.call(c -> tea.takeAll(c, cart(2, 2)).orRollback()))
                .isInstanceOf(Lost.class);
    }

    @Test
    void takeAll_ofTwoKeysOfOneRow_isRefused() throws SQLException {
        Database db = new Database(18);
        db.run(
                "CREATE TABLE u (id uuid PRIMARY KEY, qty int); INSERT INTO u VALUES ('aaaaaaaa-0000-0000-0000-000000000000', 9)");
        Table u = Table.of("u").keyedBy("id");
        Map<Key, Long> cart = Map.of(
                u.key("id", "aaaaaaaa-0000-0000-0000-000000000000"), 1L,
                u.key("id", "AAAAAAAA-0000-0000-0000-000000000000"), 1L);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tx.on(db.source).call(c -> Stock.of(u, "qty").takeAll(c, cart)))
                .withMessageContaining("twice");
        assertThat(db.ask("SELECT qty FROM u")).isEqualTo(9);
        assertThatIllegalArgumentException().isThrownBy(() -> Tx.on(db.source).call(c -> TEA.takeAll(c, Map.of())));
    }

    @ParameterizedTest
    @ValueSource(ints = {15, 18})
    void takeAll_inOppositeOrders_neverDeadlocks(int pg) throws Exception {
        Database db = new Database(pg);
        db.stock(1, 400);
        db.stock(2, 400);
        CompletableFuture<Void> forth = sell(db, cart(1, 1, 2, 1));
        CompletableFuture<Void> back = sell(db, cart(2, 1, 1, 1));
        forth.get();
        back.get();
        assertThat(db.qty(1)).isEqualTo(200);
        assertThat(db.qty(2)).isEqualTo(200);
    }

    private static CompletableFuture<Void> sell(Database db, Map<Key, Long> cart) {
        return Database.beside(() -> {
            Tx tx = Tx.on(db.source);
            for (int i = 0; i < 100; i++) {
                assertThat((Object) tx.call(c -> TEA.takeAll(c, cart))).isInstanceOf(TakeAll.TakenAll.class);
            }
            return null;
        });
    }

    @Test
    void takeAll_overShards_spansThem() throws SQLException {
        Database db = new Database(15);
        db.stock(1, 2, 0, 3);
        db.stock(2, 1, 1, 1);
        Stock split = TEA.split("shard", 3);
        assertThat((Object) Tx.on(db.source).call(c -> split.takeAll(c, cart(2, 2, 1, 4))))
                .isEqualTo(new TakeAll.TakenAll(cart(2, 1, 1, 1)));
        assertThat(db.qty(1)).isEqualTo(1);
        assertThat(db.qty(2)).isEqualTo(1);
        assertThat(db.ask("SELECT min(qty) FROM stock")).isZero();
    }

    @Test
    void takeAll_underAStricterConstraint_namesTheKeyThatBrokeIt() throws SQLException {
        Database db = new Database(15);
        db.run("ALTER TABLE stock ADD CONSTRAINT reserve CHECK (qty >= 3)");
        db.stock(1, 9);
        db.stock(2, 4);
        Stock reserve = TEA.constraint("reserve");
        Tx tx = Tx.on(db.source);
        assertThat((Object) tx.call(c -> reserve.takeAll(c, cart(1, 1, 2, 2))))
                .isEqualTo(new TakeAll.SoldOut(cart(2, 4)));
        assertThat((Object) tx.call(c -> reserve.takeAll(c, cart(1, 1, 2, 1))))
                .isEqualTo(new TakeAll.TakenAll(cart(1, 8, 2, 3)));
        assertThat(db.qty(1)).isEqualTo(8);
        assertThat(db.qty(2)).isEqualTo(3);
    }
}
