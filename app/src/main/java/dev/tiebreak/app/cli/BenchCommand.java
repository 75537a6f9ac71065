package dev.tiebreak.app.cli;

import dev.tiebreak.app.Database;
import dev.tiebreak.app.Terminal;
import dev.tiebreak.app.bench.Bench;
import dev.tiebreak.app.bench.Results;
import dev.tiebreak.app.bench.Strategy;
import dev.tiebreak.app.report.BenchText;
import dev.tiebreak.app.report.HtmlReport;
import dev.tiebreak.app.report.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The strategies side by side under load. */
@Command(
        name = "bench",
        description = {
            "Measures the nine cures side by side on one database: takes a second, latency, retries, and the proof that"
                    + " nothing was oversold.",
            "",
        },
        sortOptions = false,
        footer = {
            "",
            "Cases are interleaved, in reverse order every other repeat, with a CHECKPOINT before each where the role may;"
                    + " a warm-up round is dropped; shown is the median [min..max] of the repeats. A row whose sales are not"
                    + " exactly what left the shelf prints INEXACT instead of a rate. Rates of different runs or machines do"
                    + " not compare; ratios within one run do.",
            "",
            "Up to 32 clients have a connection each. More are virtual threads that share a pool of 32; for the"
                    + " conditional update the best pool of 4, 8, 16 and 32 counts.",
            "",
            "Exit codes: 0 every row was exact, 1 one was not, 3 it could not be run.",
            "",
            "Examples:",
            "  tiebreak bench --report report            also as a page to look at: report/index.html",
            "  tiebreak bench --clients 1000,10000 --keys 1 --strategies conditional,batching",
            "  tiebreak bench --seconds 10 --repeats 5 --json bench.json",
            "  tiebreak bench --url 'jdbc:postgresql://db.example.com/shop?user=ravi' --pgbench none"
        })
final class BenchCommand extends HelpfulCommand {
    private final Terminal terminal;

    @Option(
            names = "--clients",
            split = ",",
            paramLabel = "N",
            description = "Callers at once; several numbers with commas. Default: 32.")
    private List<Integer> clients = List.of(32);

    @Option(
            names = "--keys",
            split = ",",
            paramLabel = "N",
            description = "Items they choose from at random; 1 is one hot key. Default: 1,1000.")
    private List<Long> keys = List.of(1L, 1000L);

    @Option(names = "--seconds", paramLabel = "N", description = "How long each case is measured. Default: 3.")
    private int seconds = 3;

    @Option(names = "--repeats", paramLabel = "N", description = "How often each case is measured. Default: 3.")
    private int repeats = 3;

    @Option(
            names = "--strategies",
            split = ",",
            paramLabel = "NAME",
            description = {
                "Which, with commas: conditional, constraint, pessimistic, optimistic, serializable, advisory, split,"
                        + " batching, units; and the controls naive and plain (the conditional update by hand). Default: the nine cures."
            })
    private @Nullable List<String> strategies;

    @Option(
            names = "--pgbench",
            paramLabel = "PATH",
            description = "pgbench, to run the same statements without Java; none leaves it out. Default: where found.")
    private @Nullable String pgbench;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            description = "Also write DIR/index.html, one file that needs no other.")
    private @Nullable Path report;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write the result as JSON.")
    private @Nullable Path json;

    @Mixin
    private final ServerOptions server = new ServerOptions();

    BenchCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Bench.Options options = new Bench.Options(
                clients,
                keys,
                Duration.ofSeconds(seconds),
                repeats,
                strategies == null ? Strategy.cures() : Strategy.named(strategies));
        if (json != null) {
            Json.requireWritable(json);
        }
        if (report != null) {
            HtmlReport.requireWritable(report);
        }
        Results results;
        try (Database database = server.open(terminal)) {
            results = Bench.run(database, options, pgbench, terminal);
        } finally {
            terminal.progressDone();
        }
        if (json != null) {
            Json.write(json, results.json());
        }
        new BenchText(results).print(terminal);
        if (report != null) {
            terminal.note(
                    "the report is in " + HtmlReport.write(report, results).toUri());
        }
        return results.inexact().isEmpty() ? 0 : 1;
    }
}
