package dev.tiebreak.app.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.app.Complaint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "100000/60s | 1666.67",
                "500/s | 500",
                "3000/m | 50",
                "1_000/h | 0.28",
                "1,200 / 2 m | 10",
                "5/500ms | 10"
            })
    void demand_asPeopleWriteIt_isTakesASecond(String text, double perSecond) {
        assertThat(Demand.parse(text).perSecond()).isCloseTo(perSecond, org.assertj.core.data.Offset.offset(0.01));
    }

    @Test
    void plan_severalCarryIt_takesTheSimplestWithRoom() {
        assertThat(chosen(1000, row("batching", 20_000), row("conditional", 1_500), row("constraint", 3_000)))
                .isEqualTo("conditional");
    }

    @Test
    void plan_conditionalIsTight_takesTheNextWithRoom() {
        assertThat(chosen(1001, row("batching", 20_000), row("conditional", 1_500)))
                .isEqualTo("batching");
    }

    @Test
    void plan_nothingHasRoom_takesTheFastestThatCarriesIt() {
        assertThat(chosen(1000, row("conditional", 1_100), row("split", 1_400))).isEqualTo("split");
    }

    @Test
    void plan_inexactRowsAndTheControl_neverChosen() {
        Row inexact = new Row("split", 32, 1, 32, 9e9, 9e9, 9e9, 1, 1, 1, 0, 1, 1, 0, false);
        assertThatThrownBy(() -> Plan.of(new Demand(1), 1, List.of(inexact, row("naive", 1e9))))
                .isInstanceOf(Complaint.class);
    }

    private static String chosen(double perSecond, Row... rows) {
        return Plan.of(new Demand(perSecond), 1, List.of(rows))
                .choice()
                .map(Row::strategy)
                .orElse("none");
    }

    private static Row row(String strategy, double perSecond) {
        return new Row(strategy, 32, 1, 32, perSecond, perSecond, perSecond, 1, 2, 3, 0, 1, 1, 0, true);
    }
}
