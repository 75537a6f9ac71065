package dev.tiebreak.app.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GridTest {
    @Test
    void text_mixedAlignment_columnsLineUpWithoutTrailingBlanks() {
        Grid grid = Grid.of("name", "count", "verdict").left(2);
        grid.row("a", "1,000", "exact");
        grid.row("longer", "2", "");

        assertThat(grid.text()).isEqualTo("""
                name    count  verdict
                a       1,000  exact
                longer      2
                """);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "0.3741, 0.37",
        "9.994, 9.99",
        "9.996, 10.0",
        "10.94, 10.9",
        "99.96, 100",
        "204.7, 205",
        "123456.7, '123,457'"
    })
    void decimals_anySize_threeFiguresAtLeast(double number, String text) {
        assertThat(Numbers.decimals(number)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0.423, 0.42 ms", "21.4, 21.4 ms", "236, 236 ms", "1200, 1.20 s"})
    void millis_anySize_inSiUnits(double millis, String text) {
        assertThat(Numbers.millis(millis)).isEqualTo(text);
    }
}
