package dev.tiebreak.app.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What pgbench carried with the same statements in the same transaction shape.
 *
 * @param strategy the strategy's word
 * @param clients its connections
 * @param keys items it chose from at random
 * @param perSecond transactions a second, median of the repeats
 * @param min the slowest repeat
 * @param max the fastest repeat
 * @param exact whether its transactions are what left the shelf
 */
public record PgbenchRow(
        String strategy, int clients, long keys, double perSecond, double min, double max, boolean exact) {
    static PgbenchRow of(Strategy strategy, int clients, long keys, List<Sample> repeats) {
        Spread rate = Spread.of(repeats.stream().mapToDouble(Sample::perSecond));
        return new PgbenchRow(
                strategy.word(),
                clients,
                keys,
                rate.median(),
                rate.min(),
                rate.max(),
                repeats.stream().allMatch(Sample::exact));
    }

    /** Whether it is the counterpart of that row. */
    boolean matches(Row row) {
        return strategy.equals(row.strategy()) && clients == row.clients() && keys == row.keys();
    }

    Map<String, Object> json(double ratio) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("strategy", strategy);
        json.put("clients", clients);
        json.put("keys", keys);
        json.put("takes_per_s", Row.rounded(perSecond));
        json.put("min", Row.rounded(min));
        json.put("max", Row.rounded(max));
        json.put("library_vs_pgbench", Row.rounded(ratio));
        json.put("exact", exact);
        return json;
    }
}
