package dev.tiebreak.app.report;

import dev.tiebreak.app.Terminal;
import dev.tiebreak.app.bench.PgbenchRow;
import dev.tiebreak.app.bench.Results;
import dev.tiebreak.app.bench.Results.Setting;
import dev.tiebreak.app.bench.Row;
import dev.tiebreak.app.report.Findings.Finding;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** A bench's result for people. */
public final class BenchText {
    /** The columns; the last two only where pgbench ran. */
    static final String[] HEADER = {
        "strategy",
        "takes/s",
        "[min..max]",
        "× conditional",
        "p50",
        "p99",
        "max",
        "retries/take",
        "max attempts",
        "commits/take",
        "exact",
        "pgbench/s",
        "× pgbench"
    };

    /** How many columns there are without pgbench. */
    static final int COLUMNS = HEADER.length - 2;

    private final Results results;
    private final Findings findings;

    /** All that was measured. */
    public BenchText(Results results) {
        this.results = results;
        this.findings = new Findings(results);
    }

    /** The verdict line first, then what the figures say, then the figures. */
    public void print(Terminal terminal) {
        PrintWriter out = terminal.out();
        List<Row> inexact = results.inexact();
        long cures = results.rows().stream()
                .filter(row -> !row.strategy().equals("naive"))
                .count();
        out.println(terminal.verdict(inexact.isEmpty(), inexact.isEmpty() ? "EXACT" : "INEXACT") + "  "
                + (cures - inexact.size()) + " of " + cures + " rows sold exactly what left the shelf"
                + (inexact.isEmpty()
                        ? ""
                        : "; not: "
                                + inexact.stream().map(Row::strategy).distinct().collect(Collectors.joining(", "))));
        out.println();
        Grid said = Grid.headless(3).left(1, 2);
        for (Finding finding : findings.all()) {
            said.row(finding.question(), finding.answer(), finding.detail());
        }
        out.print(said.text());
        for (Setting setting : results.settings()) {
            out.println();
            out.println(setting);
            out.print(table(setting));
        }
        out.println();
        pools(out);
        results.notes().forEach(note -> out.println("note  " + note));
        Grid facts = Grid.headless(2).left(1);
        results.facts().forEach(facts::row);
        out.print(facts.text());
        out.println("measured in " + results.took().toSeconds() + " s: "
                + results.options().repeats() + " repeats of "
                + results.options().measured().toSeconds() + " s, median [min..max]");
        out.println();
        out.println("next  tiebreak plan --demand 100000/60s --from FILE     what your demand needs, from --json FILE");
        out.flush();
    }

    private String table(Setting setting) {
        boolean compared = results.rows(setting).stream()
                .anyMatch(row -> results.pgbench(row).isPresent());
        int columns = compared ? HEADER.length : COLUMNS;
        Grid grid = Grid.of(Arrays.copyOf(HEADER, columns));
        for (Row row : results.rows(setting)) {
            grid.row(Arrays.copyOf(cells(results, findings, row), columns));
        }
        return grid.text();
    }

    /** A row's cells below {@link #HEADER}. */
    static String[] cells(Results results, Findings findings, Row row) {
        Optional<PgbenchRow> pgbench = results.pgbench(row);
        return new String[] {
            row.strategy(),
            row.exact() ? Numbers.whole(row.takesPerSecond()) : "INEXACT",
            row.exact() ? "[" + Numbers.whole(row.min()) + ".." + Numbers.whole(row.max()) + "]" : "",
            results.timesConditional(row).map(Numbers::times).orElse(""),
            Numbers.millis(row.p50()),
            Numbers.millis(row.p99()),
            Numbers.millis(row.maxMillis()),
            Numbers.decimals(row.retriesPerTake()),
            Numbers.whole(row.maxAttempts()),
            row.commitsPerTake() < 0.095
                    ? String.format(Locale.ROOT, "%.4f", row.commitsPerTake())
                    : Numbers.decimals(row.commitsPerTake()),
            row.exact() ? "yes" : "NO",
            pgbench.map(p -> p.exact() ? Numbers.whole(p.perSecond()) : "INEXACT")
                    .orElse(""),
            pgbench.filter(p -> p.exact() && row.exact())
                    .map(p -> Numbers.times(findings.ratio(row)))
                    .orElse("")
        };
    }

    private void pools(PrintWriter out) {
        for (Row row : results.rows()) {
            if (row.connections() != row.clients()) {
                if (row.strategy().equals("conditional")) {
                    out.println("pool  conditional, " + new Setting(row.clients(), row.keys()) + ": best with "
                            + row.connections() + " connections; the others have 32");
                }
                if (row.busy() > 0) {
                    out.println("note  " + row.strategy() + " answered Busy " + Numbers.whole(row.busy()) + " times");
                }
            }
        }
    }
}
