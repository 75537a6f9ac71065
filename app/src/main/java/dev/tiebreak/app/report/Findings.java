package dev.tiebreak.app.report;

import dev.tiebreak.app.bench.Results;
import dev.tiebreak.app.bench.Results.Setting;
import dev.tiebreak.app.bench.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What the figures of a bench say, in words. */
final class Findings {
    /** From this factor between median and slowest 1 % on, somebody starves. */
    static final double STARVING = 20;

    /** Within this of the fastest, the simplest is the better choice. */
    private static final double NEARLY = 0.8;

    private static final String SIMPLEST = "conditional";

    private final Results results;

    Findings(Results results) {
        this.results = results;
    }

    /**
     * One finding.
     *
     * @param question what a reader asks
     * @param answer the answer in a word or two
     * @param detail the figures behind it
     */
    record Finding(String question, String answer, String detail) {}

    /** The findings in reading order: speed, starvation, exactness, the machine. */
    List<Finding> all() {
        List<Finding> findings = new ArrayList<>();
        for (Setting setting : results.settings()) {
            if (setting.keys() == 1) {
                fastest(setting).ifPresent(findings::add);
            }
        }
        starving().ifPresent(findings::add);
        for (Setting setting : results.settings()) {
            if (setting.keys() > 1) {
                spread(setting).ifPresent(findings::add);
            }
        }
        findings.add(exactness());
        findings.add(machine());
        comparison().ifPresent(findings::add);
        return findings;
    }

    private Optional<Finding> fastest(Setting setting) {
        return results.ranking(setting).stream()
                .findFirst()
                .map(best -> new Finding(
                        "Fastest on " + place(setting),
                        best.strategy() + ", " + Numbers.whole(best.takesPerSecond()) + " takes/s",
                        best.strategy().equals(SIMPLEST)
                                ? "the conditional update itself"
                                : results.timesConditional(best)
                                        .map(times -> Numbers.times(times) + " the conditional update, p99 "
                                                + Numbers.millis(best.p99()))
                                        .orElse("p99 " + Numbers.millis(best.p99()))));
    }

    private Optional<Finding> starving() {
        Optional<Row> worst = results.settings().stream()
                .flatMap(setting -> results.ranking(setting).stream())
                .filter(row -> row.p50() > 0)
                .max(Comparator.comparingDouble(row -> row.p99() / row.p50()));
        return worst.map(row -> row.p99() / row.p50() < STARVING
                ? new Finding(
                        "Starves its slowest 1 %",
                        "none",
                        "the widest gap is " + row.strategy() + "'s: p99 is " + Numbers.times(row.p99() / row.p50())
                                + " its median")
                : new Finding(
                        "Starves its slowest 1 %",
                        row.strategy() + ", p99 " + Numbers.millis(row.p99()),
                        Numbers.times(row.p99() / row.p50()) + " its median of " + Numbers.millis(row.p50()) + " ("
                                + place(new Setting(row.clients(), row.keys())) + ")"
                                + (row.maxAttempts() > 1 ? ", up to " + row.maxAttempts() + " attempts" : "")
                                + alsoStarving(row)));
    }

    private String alsoStarving(Row worst) {
        String others = results.settings().stream()
                .flatMap(setting -> results.ranking(setting).stream())
                .filter(row -> row.p50() > 0 && row.p99() / row.p50() >= STARVING)
                .map(Row::strategy)
                .filter(strategy -> !strategy.equals(worst.strategy()))
                .distinct()
                .collect(Collectors.joining(" and "));
        return others.isEmpty() ? "" : "; " + others + " too";
    }

    private Optional<Finding> spread(Setting setting) {
        List<Row> ranking = results.ranking(setting);
        if (ranking.isEmpty()) {
            return Optional.empty();
        }
        Row best = ranking.get(0);
        Row choice = ranking.stream()
                .filter(row ->
                        row.strategy().equals(SIMPLEST) && row.takesPerSecond() >= NEARLY * best.takesPerSecond())
                .findFirst()
                .orElse(best);
        String detail = choice.equals(best)
                ? "the fastest there, p99 " + Numbers.millis(best.p99())
                : "the simplest; " + best.strategy() + " is the fastest with " + Numbers.whole(best.takesPerSecond())
                        + ", no more than " + Numbers.times(best.takesPerSecond() / choice.takesPerSecond());
        return Optional.of(new Finding(
                "Use for " + place(setting),
                choice.strategy() + ", " + Numbers.whole(choice.takesPerSecond()) + " takes/s",
                detail));
    }

    private Optional<Finding> comparison() {
        List<Row> compared = results.rows().stream()
                .filter(row -> row.exact() && results.pgbench(row).isPresent())
                .toList();
        if (compared.isEmpty()) {
            return Optional.empty();
        }
        double[] ratios = compared.stream().mapToDouble(this::ratio).sorted().toArray();
        return Optional.of(new Finding(
                "Against pgbench with the same statements",
                Numbers.times(ratios[0]) + " to " + Numbers.times(ratios[ratios.length - 1]),
                "what the library carries of what the same SQL carries without Java, over " + ratios.length
                        + " comparisons"));
    }

    double ratio(Row row) {
        return results.pgbench(row)
                .map(other -> row.takesPerSecond() / other.perSecond())
                .orElse(Double.NaN);
    }

    private Finding exactness() {
        List<Row> inexact = results.inexact();
        long rows = results.rows().size();
        return inexact.isEmpty()
                ? new Finding(
                        "Was every row exact?",
                        "yes, all " + rows,
                        "what was sold is what left the shelf, in every repeat")
                : new Finding(
                        "Was every row exact?",
                        "NO, " + inexact.size() + " of " + rows + " was not",
                        inexact.stream()
                                .map(row -> row.strategy() + " (" + place(new Setting(row.clients(), row.keys())) + ")")
                                .collect(Collectors.joining(", ")));
    }

    private Finding machine() {
        return new Finding(
                "Measured on",
                String.valueOf(results.facts().get("machine")),
                results.facts().get("server") + ", " + results.facts().get("settings") + "; "
                        + results.facts().get("date"));
    }

    private String place(Setting setting) {
        boolean several =
                results.settings().stream().map(Setting::clients).distinct().count() > 1;
        String keys = setting.keys() == 1 ? "one hot key" : Numbers.whole(setting.keys()) + " keys";
        return several ? keys + ", " + Numbers.whole(setting.clients()) + " callers" : keys;
    }
}
