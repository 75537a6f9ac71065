package dev.tiebreak.benchmarks;

import dev.tiebreak.app.Database;
import dev.tiebreak.app.Terminal;
import dev.tiebreak.app.bench.Bench;
import dev.tiebreak.app.bench.PgbenchRow;
import dev.tiebreak.app.bench.Results;
import dev.tiebreak.app.bench.Strategy;
import dev.tiebreak.embedded.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Taking from a count: the library against the same update by hand, and against pgbench with the same statements; the
 * batching writer against the conditional update, one hot key, many callers.
 *
 * <p>It is the bench command's own measuring, with its rules: one database, interleaved, reverse order every other repeat, a
 * CHECKPOINT before each case, median of the repeats, each row exact.
 */
final class Takes implements Benchmark {
    private static final int CLIENTS = 32;

    @Override
    public String name() {
        return "takes";
    }

    @Override
    public String about() {
        return "the library against plain JDBC and pgbench, the batching writer against the conditional update";
    }

    @Override
    public List<Row> run(Options options) {
        Terminal terminal = Terminal.ofProcess();
        Duration measured = Duration.ofSeconds(options.quick() ? 1 : 3);
        int repeats = options.quick() ? 1 : 3;
        List<Row> rows = new ArrayList<>();
        try (Database database = Database.embedded(Server.NEWEST)) {
            List<Strategy> compared = options.quick()
                    ? List.of(Strategy.CONDITIONAL, Strategy.BATCHING, Strategy.PLAIN)
                    : List.of(
                            Strategy.CONDITIONAL,
                            Strategy.CONSTRAINT,
                            Strategy.PESSIMISTIC,
                            Strategy.SERIALIZABLE,
                            Strategy.ADVISORY,
                            Strategy.BATCHING,
                            Strategy.PLAIN);
            Bench.Options few = new Bench.Options(List.of(CLIENTS), List.of(1L, 1000L), measured, repeats, compared);
            add(rows, Bench.run(database, few, null, terminal));
            List<Integer> callers = options.quick() ? List.of(1000) : List.of(1000, 10_000);
            Bench.Options many = new Bench.Options(
                    callers, List.of(1L), measured, repeats, List.of(Strategy.CONDITIONAL, Strategy.BATCHING));
            add(rows, Bench.run(database, many, "none", terminal));
        } finally {
            terminal.progressDone();
        }
        return rows.stream().filter(row -> options.wants(row.name())).toList();
    }

    private static void add(List<Row> rows, Results results) {
        results.rows().forEach(row -> add(rows, results, row));
    }

    private static void add(List<Row> rows, Results results, dev.tiebreak.app.bench.Row row) {
        String place = row.clients() > CLIENTS
                ? row.clients() + " callers"
                : row.keys() + (row.keys() == 1 ? " key" : " keys");
        String what = row.strategy() + "/" + place;
        rows.add(new Row(what, row.takesPerSecond(), "takes/s", row.min(), row.max(), row.exact()));
        results.pgbench(row).ifPresent(p -> {
            rows.add(new Row(what + "/pgbench", p.perSecond(), "takes/s", p.min(), p.max(), p.exact()));
            rows.add(ratio(what + "/library vs pgbench", row, p));
        });
        results.rows().stream()
                .filter(other -> other.clients() == row.clients() && other.keys() == row.keys())
                .filter(other -> isBase(row.strategy(), other.strategy()))
                .forEach(other -> rows.add(ratio(what + "/vs " + other.strategy(), row, other)));
    }

    /** The library's conditional update against the one by hand; the batching writer against the conditional update. */
    private static boolean isBase(String strategy, String base) {
        return switch (strategy) {
            case "conditional" -> base.equals("plain");
            case "batching" -> base.equals("conditional");
            default -> false;
        };
    }

    private static Row ratio(String name, dev.tiebreak.app.bench.Row row, PgbenchRow base) {
        return ratio(name, row, base.perSecond(), base.min(), base.max(), base.exact());
    }

    private static Row ratio(String name, dev.tiebreak.app.bench.Row row, dev.tiebreak.app.bench.Row base) {
        return ratio(name, row, base.takesPerSecond(), base.min(), base.max(), base.exact());
    }

    /** The ratio of the medians; the slowest repeat over the fastest of the other, and the other way round, are its bounds. */
    private static Row ratio(
            String name, dev.tiebreak.app.bench.Row row, double median, double min, double max, boolean exact) {
        return new Row(
                name, row.takesPerSecond() / median, "×", row.min() / max, row.max() / min, row.exact() && exact);
    }
}
