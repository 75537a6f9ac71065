package dev.tiebreak.app.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.app.Database;
import dev.tiebreak.app.Scratch;
import dev.tiebreak.embedded.Server;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ShelfTest {
    @ParameterizedTest
    @EnumSource(Strategy.class)
    void restock_anyNumberOfUnits_allOfThemAreThere(Strategy strategy) throws SQLException {
        Database database = Database.at(Server.shared(18).newDatabase(), Map.of());
        try (Scratch scratch = Scratch.in(database)) {
            Shelf shelf = Shelf.of(scratch, strategy);
            for (long units : new long[] {1, 7, 8, 50, 1003}) {
                shelf.restock(3, units);
                assertThat(shelf.left()).isEqualTo(3 * units);
                assertThat(shelf.fewestLeft()).isEqualTo(units);
            }
        }
    }
}
