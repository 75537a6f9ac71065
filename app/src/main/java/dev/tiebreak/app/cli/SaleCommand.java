package dev.tiebreak.app.cli;

import dev.tiebreak.app.Complaint;
import dev.tiebreak.app.Database;
import dev.tiebreak.app.Scratch;
import dev.tiebreak.app.Terminal;
import dev.tiebreak.app.bench.Sale;
import dev.tiebreak.app.bench.Strategy;
import dev.tiebreak.app.report.Json;
import dev.tiebreak.app.report.SaleText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** One sale a strategy: who sold exactly what there was? */
@Command(
        name = "sale",
        description = {
            "Sells a few units to many buyers who all come at the same moment: once with the code most people write, and"
                    + " once with each of nine cures.",
            ""
        },
        sortOptions = false,
        footer = {
            "",
            "Exact means: every unit was sold once, every other buyer was told that nothing is left, and nobody was told"
                    + " to try later or got an error.",
            "",
            "Exit codes: 0 every cure was exact, 1 one was not, 3 it could not be run.",
            "",
            "Examples:",
            "  tiebreak sale",
            "  tiebreak sale --buyers 1000 --units 3 --strategies conditional,batching,naive",
            "  tiebreak sale --attempts 4                   who starves when a retry gives up early",
            "  tiebreak sale --pg 15 --json sale.json",
            "  TIEBREAK_URL='jdbc:postgresql://localhost/shop?user=ravi' tiebreak sale"
        })
final class SaleCommand extends HelpfulCommand {
    private static final int MOST_BUYERS = 100_000;
    private static final int MOST_CONNECTIONS = 64;

    private final Terminal terminal;

    @Option(names = "--buyers", paramLabel = "N", description = "Buyers who come at once. Default: 200.")
    private int buyers = 200;

    @Option(names = "--units", paramLabel = "N", description = "Units there are. Default: 50.")
    private int units = 50;

    @Option(
            names = "--strategies",
            split = ",",
            paramLabel = "NAME",
            description = {
                "Which, with commas: conditional, constraint, pessimistic, optimistic, serializable, advisory, split,"
                        + " batching, units; and the control naive. Default: these."
            })
    private @Nullable List<String> strategies;

    @Option(
            names = "--attempts",
            paramLabel = "N",
            description = "How often a strategy that retries may try for one buyer. Default: 50.")
    private int attempts = 50;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write the result as JSON.")
    private @Nullable Path json;

    @Mixin
    private final ServerOptions server = new ServerOptions();

    SaleCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        require("--buyers", buyers, MOST_BUYERS);
        require("--units", units, 1_000_000);
        require("--attempts", attempts, 10_000);
        List<Strategy> chosen = strategies == null ? Strategy.forSale() : Strategy.named(strategies);
        if (json != null) {
            Json.requireWritable(json);
        }
        SaleText text;
        try (Database database = server.open(terminal);
                Scratch scratch = Scratch.in(database)) {
            Sale sale = new Sale(buyers, units, attempts, connections(database));
            List<Sale.Outcome> outcomes = new ArrayList<>();
            for (Strategy strategy : chosen) {
                terminal.progress(
                        "selling: " + strategy.word() + " (" + (outcomes.size() + 1) + " of " + chosen.size() + ")");
                outcomes.add(sale.hold(database, scratch, strategy));
            }
            text = new SaleText(sale, outcomes, database.description());
        } finally {
            terminal.progressDone();
        }
        if (json != null) {
            Json.write(json, text.json());
        }
        text.print(terminal);
        return text.isExact() ? 0 : 1;
    }

    private int connections(Database database) {
        int free = database.freeConnections();
        if (free < 1) {
            throw new Complaint(
                    "the server has no connection left for this role; close some, or raise max_connections");
        }
        return Math.min(Math.min(buyers, MOST_CONNECTIONS), free);
    }

    private static void require(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new Complaint(option + " is from 1 to " + most + ", not " + value);
        }
    }
}
