package dev.tiebreak.app.report;

import dev.tiebreak.app.Complaint;
import dev.tiebreak.app.bench.Results;
import dev.tiebreak.app.bench.Results.Setting;
import dev.tiebreak.app.bench.Row;
import dev.tiebreak.app.report.Findings.Finding;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A bench as one page to look at: a single file that needs no other and no network. */
public final class HtmlReport {
    private final Results results;
    private final Findings findings;

    private HtmlReport(Results results) {
        this.results = results;
        this.findings = new Findings(results);
    }

    /** Creates the folder, before minutes of work, or complains. */
    public static void requireWritable(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw Complaint.about(e);
        }
        if (!Files.isWritable(folder)) {
            throw new Complaint("no right to write into " + folder + "; correct --report or its rights");
        }
    }

    /** Writes {@code index.html} into the folder and returns its path. */
    public static Path write(Path folder, Results results) {
        try {
            return Files.writeString(folder.resolve("index.html"), new HtmlReport(results).page());
        } catch (IOException e) {
            throw Complaint.about(e);
        }
    }

    /** The page. */
    static String page(Results results) {
        return new HtmlReport(results).page();
    }

    private String page() {
        StringBuilder sections = new StringBuilder();
        results.settings().forEach(setting -> sections.append(section(setting)));
        return """
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <title>Tiebreak bench: %s</title>
                <style>
                %s</style>
                </head>
                <body>
                <h1>How to take from a count on PostgreSQL: what each cure carries</h1>
                <p class="soft">Each caller takes one unit of an item, durably, and asks again. Measured %s, %s.</p>
                <dl class="findings">
                %s</dl>
                %s
                <h2>How it was measured</h2>
                <p>Cases interleaved, in reverse order every other repeat, a checkpoint before each where permitted, a warm-up
                round dropped. Rates are the median of %d repeats of %d s, with the slowest and the fastest repeat; latencies
                are those of all repeats together. A row is exact if what was sold is what left the shelf; one that is not
                shows INEXACT instead of a rate. Rates of different runs do not compare; ratios within one run do.</p>
                %s%s
                </body>
                </html>
                """.formatted(
                        escaped(fact("date")),
                        css(),
                        escaped(fact("date")),
                        escaped(fact("server")),
                        cards(),
                        sections,
                        results.options().repeats(),
                        results.options().measured().toSeconds(),
                        facts(),
                        notes());
    }

    private String fact(String name) {
        return results.facts().getOrDefault(name, "");
    }

    private String cards() {
        StringBuilder cards = new StringBuilder();
        for (Finding finding : findings.all()) {
            String kind = finding.question().startsWith("Fastest")
                            || finding.question().startsWith("Use")
                    ? "best"
                    : finding.question().startsWith("Starves")
                                    && !finding.answer().equals("none")
                            ? "warn"
                            : finding.question().startsWith("Was")
                                    ? (results.inexact().isEmpty() ? "good" : "bad")
                                    : "";
            cards.append("""
                    <div class="%s"><dt>%s</dt><dd class="answer">%s</dd><dd class="detail">%s</dd></div>
                    """.formatted(
                            kind, escaped(finding.question()), escaped(finding.answer()), escaped(finding.detail())));
        }
        return cards.toString();
    }

    private String section(Setting setting) {
        List<Row> rows = results.rows(setting);
        Optional<Row> best = results.ranking(setting).stream().findFirst();
        return """
                <section>
                <h2>%s</h2>
                <p>%s</p>
                <h3>Takes a second <span>log scale; bar = median, whisker = slowest to fastest repeat; × = times the conditional update</span></h3>
                %s
                <h3>Latency of a take <span>log scale; small grey dot = median, big dot = p99, tick = slowest</span></h3>
                %s
                <h3>All figures</h3>
                %s
                </section>
                """.formatted(
                        escaped(capitalized(setting.toString())),
                        escaped(best.map(row -> inWords(setting, row)).orElse("No row was exact.")),
                        new Chart(results, setting).rates(),
                        new Chart(results, setting).latencies(),
                        table(rows));
    }

    private String inWords(Setting setting, Row best) {
        List<Row> ranking = results.ranking(setting);
        Row last = ranking.get(ranking.size() - 1);
        StringBuilder words = new StringBuilder(
                best.strategy() + " is the fastest with " + Numbers.whole(best.takesPerSecond()) + " takes/s");
        results.timesConditional(best)
                .filter(times -> !best.strategy().equals("conditional"))
                .ifPresent(
                        times -> words.append(", ").append(Numbers.times(times)).append(" the conditional update"));
        if (!last.equals(best)) {
            words.append("; ")
                    .append(last.strategy())
                    .append(" the slowest with ")
                    .append(Numbers.whole(last.takesPerSecond()));
        }
        ranking.stream()
                .filter(row -> row.maxAttempts() > 1)
                .max(java.util.Comparator.comparingInt(Row::maxAttempts))
                .ifPresent(row -> words.append("; ")
                        .append(row.strategy())
                        .append(" tried up to ")
                        .append(Numbers.whole(row.maxAttempts()))
                        .append(" times for one unit"));
        results.rows(setting).stream()
                .filter(row -> row.strategy().equals("conditional") && row.connections() != row.clients())
                .forEach(row -> words.append("; the conditional update was best with a pool of ")
                        .append(row.connections()));
        return words.append('.').toString();
    }

    private String table(List<Row> rows) {
        boolean compared = rows.stream().anyMatch(row -> results.pgbench(row).isPresent());
        int columns = compared ? BenchText.HEADER.length : BenchText.COLUMNS;
        StringBuilder table = new StringBuilder("<div class=\"scroll\"><table>\n<tr>");
        for (int i = 0; i < columns; i++) {
            table.append("<th>").append(escaped(BenchText.HEADER[i]));
        }
        table.append("</tr>\n");
        for (Row row : rows) {
            table.append("<tr>");
            String[] cells = BenchText.cells(results, findings, row);
            for (int i = 0; i < columns; i++) {
                String kind = cells[i].equals("yes")
                        ? " class=\"yes\""
                        : cells[i].equals("NO") || cells[i].equals("INEXACT") ? " class=\"no\"" : "";
                table.append("<td").append(kind).append('>').append(escaped(cells[i]));
            }
            table.append("</tr>\n");
        }
        return table.append("</table></div>").toString();
    }

    private String facts() {
        StringBuilder list = new StringBuilder("<dl class=\"machine\">\n");
        results.facts().forEach((name, value) -> list.append("<dt>")
                .append(escaped(name))
                .append("</dt><dd>")
                .append(escaped(value))
                .append("</dd>\n"));
        return list.append("</dl>\n").toString();
    }

    private String notes() {
        StringBuilder notes = new StringBuilder();
        results.notes().forEach(note -> notes.append("<p class=\"soft\">Note: ")
                .append(escaped(note))
                .append("</p>\n"));
        return notes.toString();
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private static String capitalized(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    private static String css() {
        try (InputStream in = HtmlReport.class.getResourceAsStream("report.css")) {
            if (in == null) {
                throw new IllegalStateException("report.css is not beside HtmlReport");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
