package dev.tiebreak.app.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.app.bench.Bench;
import dev.tiebreak.app.bench.PgbenchRow;
import dev.tiebreak.app.bench.Results;
import dev.tiebreak.app.bench.Row;
import dev.tiebreak.app.bench.Strategy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HtmlReportTest {
    private static final List<Row> ROWS = List.of(
            row("conditional", 1, 2_000, 10, 30, 1, true),
            row("serializable", 1, 400, 0.5, 236, 41, true),
            row("batching", 1, 24_000, 1, 3, 1, true),
            row("conditional", 1000, 9_000, 3, 9, 1, true),
            row("batching", 1000, 9_900, 3, 9, 1, true),
            row("split", 1000, 99_000, 3, 9, 1, false));

    @Test
    void page_fiveFacts_areSaidInWords() {
        assertThat(HtmlReport.page(results(ROWS)))
                .contains(card("Fastest on one hot key", "batching, 24,000 takes/s", "12.0× the conditional update"))
                .contains(card("Starves its slowest 1 %", "serializable, p99 236 ms", "472× its median"))
                .contains(card(
                        "Use for 1,000 keys", "conditional, 9,000 takes/s", "the simplest; batching is the fastest"))
                .contains(card("Was every row exact?", "NO, 1 of 6 was not", "split (1,000 keys)"))
                .contains(card("Measured on", "2 cores of &lt;Fast &amp; &quot;Big&quot;&gt;", "PostgreSQL 18.4"))
                .contains(card("Against pgbench with the same statements", "0.80× to 0.80×", ""));
    }

    @Test
    void page_inexactRow_hasNoRateAnywhere() {
        assertThat(HtmlReport.page(results(ROWS))).contains("INEXACT").doesNotContain("99,000");
    }

    @Test
    void page_allExact_saysHowMany() {
        assertThat(HtmlReport.page(results(ROWS.subList(0, 5))))
                .contains(card("Was every row exact?", "yes, all 5", ""));
    }

    @Test
    void page_selfContained_loadsNothingAndAdaptsToScreenAndPaper() {
        assertThat(HtmlReport.page(results(ROWS)))
                .doesNotContainPattern("(src|href)=|url\\(|@import|https?://|<script")
                .contains("prefers-color-scheme: dark", "@media print", "max-width: 40rem", "name=\"viewport\"");
    }

    @Test
    void text_inexactRow_isNamedInTheVerdict() {
        java.io.StringWriter out = new java.io.StringWriter();
        new BenchText(results(ROWS))
                .print(new dev.tiebreak.app.Terminal(
                        new java.io.PrintWriter(out), new java.io.PrintWriter(out), Map.of(), false, false));

        assertThat(out.toString()).startsWith("INEXACT  5 of 6 rows sold exactly what left the shelf; not: split\n");
    }

    private static String card(String question, String answer, String detail) {
        return "<dt>" + question + "</dt><dd class=\"answer\">" + answer + "</dd><dd class=\"detail\">" + detail;
    }

    private static Results results(List<Row> rows) {
        return new Results(
                rows,
                List.of(new PgbenchRow("conditional", 32, 1, 2_500, 2_400, 2_600, true)),
                Map.of(
                        "machine",
                        "2 cores of <Fast & \"Big\">",
                        "server",
                        "PostgreSQL 18.4",
                        "date",
                        "2026-11-30 12:00"),
                List.of("a note"),
                new Bench.Options(List.of(32), List.of(1L, 1000L), Duration.ofSeconds(3), 3, Strategy.cures()),
                Duration.ofSeconds(100));
    }

    private static Row row(
            String strategy, long keys, double perSecond, double p50, double p99, int attempts, boolean exact) {
        return new Row(
                strategy,
                32,
                keys,
                32,
                perSecond,
                perSecond * 0.9,
                perSecond * 1.1,
                p50,
                p99,
                2 * p99,
                0,
                attempts,
                1,
                0,
                exact);
    }
}
