package dev.tiebreak.app.report;

import dev.tiebreak.app.bench.Results;
import dev.tiebreak.app.bench.Results.Setting;
import dev.tiebreak.app.bench.Row;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.DoubleStream;

/** The charts of one setting as plain HTML boxes on a logarithmic scale: text stays text on every screen. */
final class Chart {
    private final Results results;
    private final List<Row> rows;
    private final Optional<Row> best;
    private final Optional<Row> starving;

    Chart(Results results, Setting setting) {
        this.results = results;
        this.rows = results.rows(setting);
        this.best = results.ranking(setting).stream().findFirst();
        this.starving = results.ranking(setting).stream()
                .filter(row -> row.p50() > 0 && row.p99() / row.p50() >= Findings.STARVING)
                .max(Comparator.comparingDouble(Row::p99));
    }

    /** A bar a strategy, with the spread of its repeats. */
    String rates() {
        List<Row> exact =
                rows.stream().filter(row -> row.exact() && row.min() > 0).toList();
        if (exact.isEmpty()) {
            return "";
        }
        Scale scale = Scale.over(exact.stream().flatMapToDouble(row -> DoubleStream.of(row.min(), row.max())));
        StringBuilder chart = new StringBuilder("<div class=\"chart\">\n");
        for (Row row : rows) {
            boolean drawn = exact.contains(row);
            String kind = best.filter(row::equals).isPresent() ? " is-best" : "";
            String value = drawn
                    ? Numbers.whole(row.takesPerSecond())
                            + results.timesConditional(row)
                                    .map(times -> " · " + Numbers.times(times))
                                    .orElse("")
                    : row.exact() ? "0" : "INEXACT";
            chart.append(line(
                    row,
                    kind,
                    value,
                    scale,
                    drawn
                            ? "<i class=\"fill\" style=\"width:%s\"></i><i class=\"spread\" style=\"left:%s;width:%s\"></i>"
                                    .formatted(
                                            scale.at(row.takesPerSecond()),
                                            scale.at(row.min()),
                                            Scale.percent(scale.position(row.max()) - scale.position(row.min())))
                            : ""));
        }
        return chart.append(scale.axis("")).append("</div>").toString();
    }

    /** A line a strategy, from its median over p99 to its slowest take. */
    String latencies() {
        List<Row> drawn = rows.stream().filter(row -> row.p50() > 0).toList();
        if (drawn.isEmpty()) {
            return "";
        }
        Scale scale = Scale.over(drawn.stream().flatMapToDouble(row -> DoubleStream.of(row.p50(), row.maxMillis())));
        StringBuilder chart = new StringBuilder("<div class=\"chart\">\n");
        for (Row row : drawn) {
            String kind = starving.filter(row::equals).isPresent() ? " is-warn" : "";
            String value = Numbers.decimals(row.p50()) + " · " + Numbers.decimals(row.p99()) + " · "
                    + Numbers.decimals(row.maxMillis()) + " ms";
            chart.append(line(row, kind, value, scale, """
                    <i class="range" style="left:%s;width:%s"></i><i class="top" style="left:%s"></i>\
                    <i class="dot" style="left:%s"></i><i class="dot p99" style="left:%s"></i>""".formatted(
                            scale.at(row.p50()),
                            Scale.percent(scale.position(row.maxMillis()) - scale.position(row.p50())),
                            scale.at(row.maxMillis()),
                            scale.at(row.p50()),
                            scale.at(row.p99()))));
        }
        return chart.append(scale.axis(" ms")).append("</div>").toString();
    }

    private static String line(Row row, String kind, String value, Scale scale, String marks) {
        return """
                <div class="name%s">%s</div><div class="track%s">%s%s</div><div class="value%s">%s</div>
                """.formatted(kind, HtmlReport.escaped(row.strategy()), kind, scale.lines(), marks, kind, value);
    }

    /** Whole powers of ten around the values. */
    private record Scale(int from, int to) {
        static Scale over(DoubleStream values) {
            var range = values.summaryStatistics();
            int from = (int) Math.floor(Math.log10(range.getMin() * 0.8));
            return new Scale(from, Math.max(from + 1, (int) Math.ceil(Math.log10(range.getMax()))));
        }

        double position(double value) {
            return 100 * Math.clamp((Math.log10(value) - from) / (to - from), 0, 1);
        }

        String at(double value) {
            return percent(position(value));
        }

        String lines() {
            StringBuilder lines = new StringBuilder();
            for (int power = from + 1; power < to; power++) {
                lines.append("<i class=\"grid\" style=\"left:")
                        .append(at(Math.pow(10, power)))
                        .append("\"></i>");
            }
            return lines.toString();
        }

        String axis(String unit) {
            StringBuilder axis = new StringBuilder("<div class=\"name\"></div><div class=\"axis\">");
            for (int power = from; power <= to; power++) {
                double value = Math.pow(10, power);
                String label = value >= 1
                        ? String.format(Locale.ROOT, "%,.0f", value)
                        : String.valueOf(Math.round(value * 1e6) / 1e6);
                axis.append("<span style=\"left:")
                        .append(at(value))
                        .append("\">")
                        .append(label)
                        .append(unit)
                        .append("</span>");
            }
            return axis.append("</div><div class=\"value\"></div>\n").toString();
        }

        static String percent(double value) {
            return String.format(Locale.ROOT, "%.2f%%", value);
        }
    }
}
