package dev.tiebreak.app.bench;

import dev.tiebreak.app.Complaint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that one bench found out.
 *
 * @param rows a row a strategy and setting, in the order measured
 * @param pgbench what pgbench carried, where it can run the same statements
 * @param facts where and when it was measured
 * @param notes what a reader has to know besides
 * @param options what was asked for
 * @param took how long all of it took
 */
public record Results(
        List<Row> rows,
        List<PgbenchRow> pgbench,
        Map<String, String> facts,
        List<String> notes,
        Bench.Options options,
        Duration took) {

    /** Callers and items: what a comparison has in common. */
    public record Setting(int clients, long keys) {
        /** Such as {@code 32 clients, one hot key}. */
        @Override
        public String toString() {
            return String.format(
                    java.util.Locale.ROOT,
                    "%,d %s, %s",
                    clients,
                    clients == 1 ? "client" : "clients",
                    keys == 1 ? "one hot key" : String.format(java.util.Locale.ROOT, "%,d keys", keys));
        }
    }

    /** The settings in the order measured. */
    public List<Setting> settings() {
        LinkedHashSet<Setting> settings = new LinkedHashSet<>();
        rows.forEach(row -> settings.add(new Setting(row.clients(), row.keys())));
        return List.copyOf(settings);
    }

    /** The rows of one setting, in the order measured. */
    public List<Row> rows(Setting setting) {
        return rows.stream()
                .filter(row -> row.clients() == setting.clients() && row.keys() == setting.keys())
                .toList();
    }

    /** The exact rows of cures in one setting, fastest first. */
    public List<Row> ranking(Setting setting) {
        return rows(setting).stream()
                .filter(Row::exact)
                .filter(row -> Strategy.isCure(row.strategy()))
                .sorted(Comparator.comparingDouble(Row::takesPerSecond).reversed())
                .toList();
    }

    /** How many times what the conditional update carried in the same setting; empty if either is inexact. */
    public Optional<Double> timesConditional(Row row) {
        return rows.stream()
                .filter(other -> other.strategy().equals(Strategy.CONDITIONAL.word())
                        && other.clients() == row.clients()
                        && other.keys() == row.keys())
                .filter(other -> other.exact() && row.exact() && other.takesPerSecond() > 0)
                .map(other -> row.takesPerSecond() / other.takesPerSecond())
                .findFirst();
    }

    /** What pgbench carried with the row's statements, if it ran. */
    public Optional<PgbenchRow> pgbench(Row row) {
        return pgbench.stream().filter(other -> other.matches(row)).findFirst();
    }

    /** The rows that are not exact, the control aside: it cannot be. */
    public List<Row> inexact() {
        return rows.stream()
                .filter(row -> !row.exact() && !row.strategy().equals(Strategy.NAIVE.word()))
                .toList();
    }

    /** As documented for machines. */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("results", rows.stream().map(Row::json).toList());
        List<Map<String, Object>> compared = new ArrayList<>();
        for (Row row : rows) {
            pgbench(row).ifPresent(other -> compared.add(other.json(row.takesPerSecond() / other.perSecond())));
        }
        json.put("pgbench", compared);
        json.put("machine", facts);
        return json;
    }

    /** Reads back the rows that {@link #json} wrote. */
    public static List<Row> rowsFrom(Map<String, Object> json, Object file) {
        if (!(json.get("results") instanceof List<?> results) || results.isEmpty()) {
            throw new Complaint(file + " holds no \"results\"; give a file written by tiebreak bench --json");
        }
        List<Row> rows = new ArrayList<>();
        for (Object result : results) {
            if (!(result instanceof Map<?, ?> row)) {
                throw new Complaint(file + ": a result is not an object; give a file written by tiebreak bench --json");
            }
            rows.add(new Row(
                    text(row, "strategy", file),
                    (int) number(row, "clients", file),
                    (long) number(row, "keys", file),
                    0,
                    number(row, "takes_per_s", file),
                    number(row, "min", file),
                    number(row, "max", file),
                    number(row, "p50_ms", file),
                    number(row, "p99_ms", file),
                    number(row, "max_ms", file),
                    number(row, "retries_per_take", file),
                    (int) number(row, "max_attempts", file),
                    number(row, "commits_per_take", file),
                    0,
                    Boolean.TRUE.equals(row.get("exact"))));
        }
        return rows;
    }

    private static double number(Map<?, ?> row, String name, Object file) {
        if (row.get(name) instanceof Number number) {
            return number.doubleValue();
        }
        throw new Complaint(
                file + ": a result has no number \"" + name + "\"; give a file written by tiebreak bench --json");
    }

    private static String text(Map<?, ?> row, String name, Object file) {
        if (row.get(name) instanceof String text) {
            return text;
        }
        throw new Complaint(file + ": a result has no \"" + name + "\"; give a file written by tiebreak bench --json");
    }
}
