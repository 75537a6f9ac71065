package dev.tiebreak.app.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What one strategy carried in one setting: the median of the repeats, its spread, and the proof.
 *
 * @param strategy the strategy's word
 * @param clients callers at once
 * @param keys items they chose from at random; 1 is one hot key
 * @param connections size of the pool they shared
 * @param takesPerSecond units taken a second, median of the repeats
 * @param min the slowest repeat
 * @param max the fastest repeat
 * @param p50 median latency of a take, in ms
 * @param p99 latency that one take in a hundred exceeds, in ms
 * @param maxMillis the longest take, in ms
 * @param retriesPerTake attempts beyond the first, per unit taken
 * @param maxAttempts the most attempts for one answer
 * @param commitsPerTake commits counted by the server, per unit taken
 * @param busy answers to try later, of all repeats
 * @param exact whether what was sold is what left the shelf, without an error
 */
public record Row(
        String strategy,
        int clients,
        long keys,
        int connections,
        double takesPerSecond,
        double min,
        double max,
        double p50,
        double p99,
        double maxMillis,
        double retriesPerTake,
        int maxAttempts,
        double commitsPerTake,
        long busy,
        boolean exact) {

    /** The row of these repeats. */
    static Row of(Strategy strategy, int clients, long keys, int connections, List<Sample> repeats) {
        Histogram micros = new Histogram(Load.SLOWEST_MICROS, 3);
        repeats.forEach(repeat -> micros.add(repeat.tally().micros()));
        Spread rate = Spread.of(repeats.stream().mapToDouble(Sample::perSecond));
        double taken =
                Math.max(1, repeats.stream().mapToLong(r -> r.tally().taken()).sum());
        double allTaken = Math.max(
                1, repeats.stream().mapToLong(r -> r.tally().allTaken()).sum());
        return new Row(
                strategy.word(),
                clients,
                keys,
                connections,
                rate.median(),
                rate.min(),
                rate.max(),
                micros.getValueAtPercentile(50) / 1000.0,
                micros.getValueAtPercentile(99) / 1000.0,
                micros.getMaxValue() / 1000.0,
                repeats.stream().mapToLong(r -> r.tally().retries()).sum() / taken,
                repeats.stream().mapToInt(r -> r.tally().maxAttempts()).max().orElse(0),
                repeats.stream().mapToLong(Sample::commits).sum() / allTaken,
                repeats.stream().mapToLong(r -> r.tally().busy()).sum(),
                repeats.stream().allMatch(Sample::exact));
    }

    /** Whether the other is of the same strategy in the same setting. */
    boolean sameCase(Row other) {
        return strategy.equals(other.strategy) && clients == other.clients && keys == other.keys;
    }

    /** The row as documented for machines. */
    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("strategy", strategy);
        json.put("clients", clients);
        json.put("keys", keys);
        json.put("takes_per_s", rounded(takesPerSecond));
        json.put("min", rounded(min));
        json.put("max", rounded(max));
        json.put("p50_ms", rounded(p50));
        json.put("p99_ms", rounded(p99));
        json.put("max_ms", rounded(maxMillis));
        json.put("retries_per_take", rounded(retriesPerTake));
        json.put("max_attempts", maxAttempts);
        json.put("commits_per_take", Math.round(commitsPerTake * 1e6) / 1e6);
        json.put("exact", exact);
        return json;
    }

    static double rounded(double number) {
        return Math.round(number * 1000) / 1000.0;
    }
}
