package dev.tiebreak.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.app.bench.Strategy;
import dev.tiebreak.embedded.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

class SaleCommandTest {
    @Test
    void sale_allStrategies_nineCuresAreExactAndTheControlIsNot(@TempDir Path folder) throws IOException, SQLException {
        String url = Server.shared(18).newDatabase();
        Path json = folder.resolve("sale.json");

        Run run = Run.on(url, "sale", "--json", json.toString());

        assertThat(run.out()).startsWith("EXACT  9 of 9 cures sold 50 of 50; the code most people write sold ");
        assertThat(run.out()).contains("OVERSOLD by", "why   naive reads the count", "next  tiebreak bench");
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(Schemas.in(url)).isEmpty();

        Map<String, Object> result = JSON.std.mapFrom(Files.readString(json));
        assertThat(result.keySet()).containsExactly("buyers", "units", "strategies");
        assertThat(result).containsEntry("buyers", 200).containsEntry("units", 50);
        List<Map<String, Object>> strategies = strategies(result);
        assertThat(strategies)
                .extracting(s -> s.get("strategy"))
                .containsExactly(Strategy.forSale().stream().map(Strategy::word).toArray());
        for (Map<String, Object> s : strategies) {
            assertThat(s.keySet())
                    .containsExactly("strategy", "sold", "left", "soldOut", "busy", "errors", "maxAttempts", "exact");
            boolean naive = "naive".equals(s.get("strategy"));
            assertThat(s)
                    .containsEntry("exact", !naive)
                    .containsEntry("errors", 0)
                    .containsEntry("busy", 0);
            if (naive) {
                assertThat((int) Objects.requireNonNull(s.get("sold"))).isGreaterThan(50);
            } else {
                assertThat(s).containsEntry("sold", 50).containsEntry("left", 0).containsEntry("soldOut", 150);
            }
        }
    }

    @Test
    void sale_oldestServer_isExactToo() {
        Run run = Run.on(
                Server.shared(Server.OLDEST).newDatabase(),
                "sale",
                "--buyers",
                "60",
                "--units",
                "15",
                "--strategies",
                "constraint,serializable,units");

        assertThat(run.out()).startsWith("EXACT  3 of 3 cures sold 15 of 15").contains("PostgreSQL 15");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void sale_fewerBuyersThanUnits_isExactWithUnitsLeft() {
        Run run = Run.onFreshDatabase(
                "sale", "--buyers", "5", "--units", "8", "--strategies", "conditional,units,split,batching");

        assertThat(run.out()).startsWith("EXACT  4 of 4 cures sold 5 of 8");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void sale_onlyTheControl_isInexactExit1() {
        Run run = Run.onFreshDatabase("sale", "--strategies", "naive");

        assertThat(run.out())
                .startsWith("INEXACT  the code most people write sold ")
                .doesNotContain("cures sold");
        assertThat(run.exitCode()).isEqualTo(1);
    }

    @Test
    void sale_oneAttempt_showsWhoStarvesExit1() {
        Run run = Run.onFreshDatabase("sale", "--attempts", "1", "--strategies", "conditional,optimistic,serializable");

        assertThat(run.out())
                .startsWith("INEXACT  1 of 3 cures sold 50 of 50; optimistic: ")
                .contains(" busy", "it starved");
        assertThat(run.exitCode()).isEqualTo(1);
    }

    private static List<Map<String, Object>> strategies(Map<String, Object> result) {
        return ((List<?>) Objects.requireNonNull(result.get("strategies")))
                .stream().map(SaleCommandTest::object).toList();
    }

    @SuppressWarnings("unchecked") // JSON objects are read as maps by name
    private static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }
}
