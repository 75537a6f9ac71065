package dev.tiebreak.app.cli;

import dev.tiebreak.app.Database;
import dev.tiebreak.app.Terminal;
import dev.tiebreak.app.report.Grid;
import dev.tiebreak.app.report.Json;
import dev.tiebreak.app.report.Numbers;
import dev.tiebreak.prove.PgSuite;
import dev.tiebreak.prove.PgSuite.FileResult;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** PostgreSQL's own isolation tests, run by the prover's reader of spec files. */
@Command(
        name = "pg-suite",
        description = {
            "Runs PostgreSQL's isolation tests (specs/*.spec) and compares what they print with expected/*.out: spec files"
                    + " mean here what they mean to PostgreSQL.",
            ""
        },
        sortOptions = false,
        footer = {
            "",
            "DIR is src/test/isolation of a PostgreSQL source tree of the server's version. With --url the role has to be a"
                    + " superuser, and max_prepared_transactions at least 3.",
            "",
            "Exit codes: 0 every file printed what is expected, 1 one did not, 3 it could not be run.",
            "",
            "Examples:",
            "  tiebreak pg-suite postgresql-18.4/src/test/isolation",
            "  tiebreak pg-suite postgresql-15.18/src/test/isolation --pg 15 --json suite.json"
        })
final class PgSuiteCommand extends HelpfulCommand {
    private final Terminal terminal;

    @Parameters(paramLabel = "DIR", description = "The folder that holds specs/ and expected/.")
    private Path directory = Path.of("");

    @Option(names = "--json", paramLabel = "FILE", description = "Also write the result as JSON.")
    private @Nullable Path json;

    @Mixin
    private final ServerOptions server = new ServerOptions();

    PgSuiteCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (json != null) {
            Json.requireWritable(json);
        }
        List<FileResult> results;
        String description;
        try (Database database = server.open(terminal)) {
            description = database.description();
            results = PgSuite.on(database.url())
                    .run(
                            directory,
                            result -> terminal.progress(
                                    "ran " + result.file() + ", " + result.permutations() + " permutations"));
        } finally {
            terminal.progressDone();
        }
        if (json != null) {
            Json.write(
                    json,
                    Map.of("files", results.stream().map(PgSuiteCommand::json).toList()));
        }
        print(results, description);
        return results.stream().allMatch(FileResult::matched) ? 0 : 1;
    }

    private void print(List<FileResult> results, String description) {
        List<FileResult> different =
                results.stream().filter(result -> !result.matched()).toList();
        long permutations = results.stream().mapToLong(FileResult::permutations).sum();
        boolean good = different.isEmpty();
        terminal.out()
                .println(terminal.verdict(good, good ? "MATCHED" : "DIFFERENT") + "  "
                        + (results.size() - different.size()) + " of " + results.size()
                        + " files print what is expected, "
                        + Numbers.whole(permutations) + " permutations, " + description);
        if (!good) {
            Grid grid = Grid.headless(2).left(1);
            different.forEach(result -> grid.row(result.file(), result.difference()));
            terminal.out().print("\n" + grid.text());
        }
        terminal.out().flush();
    }

    private static Map<String, Object> json(FileResult result) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("file", result.file());
        json.put("matched", result.matched());
        json.put("permutations", result.permutations());
        return json;
    }
}
