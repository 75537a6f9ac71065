package dev.tiebreak.app.cli;

import dev.tiebreak.app.Complaint;
import dev.tiebreak.app.Database;
import dev.tiebreak.app.Terminal;
import dev.tiebreak.app.bench.Bench;
import dev.tiebreak.app.bench.Demand;
import dev.tiebreak.app.bench.Plan;
import dev.tiebreak.app.bench.Results;
import dev.tiebreak.app.bench.Row;
import dev.tiebreak.app.bench.Strategy;
import dev.tiebreak.app.report.Json;
import dev.tiebreak.app.report.PlanText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which strategy a demand needs. */
@Command(
        name = "plan",
        description = {
            "Says which strategy carries a demand, with how much room, by what was measured on the same server.",
            "",
        },
        sortOptions = false,
        footer = {
            "",
            "Without --from it measures first, for about half a minute: 32 callers with every cure, and 1,000 callers with"
                    + " the batching writer.",
            "",
            "Exit codes: 0 a strategy carries it, 1 none does, 3 it could not be run.",
            "",
            "Examples:",
            "  tiebreak plan --demand 100000/60s                         one hot key",
            "  tiebreak plan --demand 5000/s --keys 1000",
            "  tiebreak plan --demand 5000/s --from bench.json           from tiebreak bench --json bench.json"
        })
final class PlanCommand extends HelpfulCommand {
    private static final int CALLERS = 32;
    private static final int MANY_CALLERS = 1000;

    private final Terminal terminal;

    @Option(
            names = "--demand",
            required = true,
            paramLabel = "N/TIME",
            description = "Takes to carry, such as 100000/60s, 500/s or 3000/m.")
    private String demand = "";

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "Items the demand is spread over. Default: 1, one hot key.")
    private long keys = 1;

    @Option(names = "--from", paramLabel = "FILE", description = "What tiebreak bench --json FILE wrote.")
    private @Nullable Path from;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write the plan as JSON.")
    private @Nullable Path json;

    @Mixin
    private final ServerOptions server = new ServerOptions();

    PlanCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Demand wanted = Demand.parse(demand);
        if (keys < 1 || keys > 1_000_000) {
            throw new Complaint("--keys is from 1 to 1000000, not " + keys);
        }
        if (json != null) {
            Json.requireWritable(json);
        }
        String source;
        List<Row> rows;
        if (from != null) {
            rows = Results.rowsFrom(Json.read(from), from);
            source = "measured earlier, from " + from;
        } else {
            try (Database database = server.open(terminal)) {
                rows = measure(database);
                source = "measured now on " + database.description();
            } finally {
                terminal.progressDone();
            }
        }
        PlanText text = new PlanText(Plan.of(wanted, keys, rows), source);
        if (json != null) {
            Json.write(json, text.json());
        }
        text.print(terminal);
        return text.isCarried() ? 0 : 1;
    }

    private List<Row> measure(Database database) {
        List<Row> rows = new ArrayList<>();
        rows.addAll(measure(database, CALLERS, Strategy.cures()));
        rows.addAll(measure(database, MANY_CALLERS, List.of(Strategy.BATCHING)));
        return rows;
    }

    private List<Row> measure(Database database, int callers, List<Strategy> strategies) {
        Bench.Options options =
                new Bench.Options(List.of(callers), List.of(keys), Duration.ofSeconds(2), 1, strategies);
        return Bench.run(database, options, "none", terminal).rows();
    }
}
