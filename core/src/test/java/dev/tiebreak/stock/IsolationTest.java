package dev.tiebreak.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.stock.Stock.Take;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class IsolationTest {
    private static final Stock TEA = Stock.of(Database.STOCK, "qty");

    private final Database db;

    IsolationTest() throws SQLException {
        db = new Database(18);
        db.run("ALTER TABLE stock ADD CONSTRAINT \"never negative\" CHECK (qty >= 0)");
    }

    static Stream<Arguments> wrongLevels() {
        return Stream.of(
                Arguments.of(TEA.serializable(), Connection.TRANSACTION_READ_COMMITTED),
                Arguments.of(TEA.serializable(), Connection.TRANSACTION_REPEATABLE_READ),
                Arguments.of(TEA.advisory(), Connection.TRANSACTION_REPEATABLE_READ),
                Arguments.of(TEA.advisory(), Connection.TRANSACTION_SERIALIZABLE));
    }

    @ParameterizedTest
    @MethodSource("wrongLevels")
    void everything_onTheWrongLevel_isRefusedBeforeAnythingRuns(Stock tea, int level) throws SQLException {
        db.stock(7, 5);
        try (Connection c = db.open(level)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> tea.take(c, Database.key(7), 1))
                    .withMessageContaining("nothing was run");
            assertThatIllegalStateException().isThrownBy(() -> tea.take(c, Database.key(404), 1));
            assertThatIllegalStateException().isThrownBy(() -> tea.takeAll(c, Map.of(Database.key(7), 1L)));
            assertThatIllegalStateException().isThrownBy(() -> tea.giveBack(c, Database.key(7), 1));
            assertThat(Database.ask(c, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
                    .isZero();
            assertThat(Database.ask(c, "SELECT count(pg_current_xact_id_if_assigned())"))
                    .isZero();
            c.commit();
        }
        assertThat(db.qty(7)).isEqualTo(5);
    }

    @Test
    void advisory_inAutocommit_isRefused() throws SQLException {
        db.stock(7, 5);
        try (Connection c = db.source.getConnection()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> TEA.advisory().take(c, Database.key(7), 1))
                    .withMessageContaining("needs a transaction");
        }
        assertThat(db.qty(7)).isEqualTo(5);
    }

    static Stream<Arguments> snapshots() {
        return Stream.of(Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE)
                .flatMap(level -> Stream.of(
                                TEA,
                                TEA.constraint("never negative"),
                                TEA.pessimistic(),
                                TEA.optimistic("version"),
                                TEA.split("shard", 4))
                        .map(tea -> Arguments.of(tea, level)));
    }

    @ParameterizedTest
    @MethodSource("snapshots")
    void take_ofARowChangedSinceTheSnapshot_is40001(Stock tea, int level) throws SQLException {
        db.stock(7, 5);
        try (Connection c = db.open(level)) {
            assertThat(Database.ask(c, "SELECT sum(qty) FROM stock")).isEqualTo(5);
            db.run("UPDATE stock SET qty = qty - 1, version = version + 1 WHERE id = 7");
            assertThatThrownBy(() -> tea.take(c, Database.key(7), 1))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"));
        }
        try (Connection c = db.open(level)) {
            assertThat(tea.take(c, Database.key(7), 1)).isEqualTo(new Take.Taken(3));
            c.commit();
        }
        assertThat(db.qty(7)).isEqualTo(3);
    }
}
