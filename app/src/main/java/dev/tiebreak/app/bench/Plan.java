package dev.tiebreak.app.bench;

import dev.tiebreak.app.Complaint;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which strategy carries a demand, by what was measured.
 *
 * @param demand what is asked for
 * @param keys how many items it is spread over
 * @param rows what each strategy carried at that contention, most first
 * @param choice the recommendation; empty if none carries the demand
 */
public record Plan(Demand demand, long keys, List<Row> rows, Optional<Row> choice) {
    /** A server at its limit queues: what is carried should be at least so many times the demand. */
    public static final double ROOM = 1.5;

    /** Simplest first: what to take if several carry the demand. */
    private static final List<Strategy> SIMPLEST_FIRST = List.of(
            Strategy.CONDITIONAL,
            Strategy.CONSTRAINT,
            Strategy.PESSIMISTIC,
            Strategy.ADVISORY,
            Strategy.UNITS,
            Strategy.BATCHING,
            Strategy.SPLIT,
            Strategy.OPTIMISTIC,
            Strategy.SERIALIZABLE);

    /** The plan for a demand on so many keys, by these measurements. */
    public static Plan of(Demand demand, long keys, List<Row> measured) {
        List<Row> rows = measured.stream()
                .filter(row -> row.keys() == keys && row.exact() && Strategy.isCure(row.strategy()))
                .sorted(Comparator.comparingDouble(Row::takesPerSecond).reversed())
                .toList();
        if (rows.isEmpty()) {
            String there = measured.stream()
                    .map(row -> String.valueOf(row.keys()))
                    .distinct()
                    .collect(Collectors.joining(", "));
            throw new Complaint("nothing exact was measured with --keys " + keys + " (there is " + there
                    + "); measure it with tiebreak bench --keys " + keys + " --json FILE, or leave out --from");
        }
        return new Plan(demand, keys, rows, choose(demand, rows));
    }

    /** How many times the demand a row carried, by its slowest repeat. */
    public double room(Row row) {
        return row.min() / demand.perSecond();
    }

    private static Optional<Row> choose(Demand demand, List<Row> rows) {
        Optional<Row> simplest = SIMPLEST_FIRST.stream()
                .flatMap(strategy -> rows.stream().filter(row -> row.strategy().equals(strategy.word())))
                .filter(row -> row.min() >= ROOM * demand.perSecond())
                .findFirst();
        return simplest.or(() ->
                rows.stream().filter(row -> row.min() >= demand.perSecond()).max(Comparator.comparingDouble(Row::min)));
    }
}
