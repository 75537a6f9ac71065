package dev.tiebreak.app.report;

import static dev.tiebreak.app.report.HtmlReport.escaped;

import dev.tiebreak.app.Complaint;
import dev.tiebreak.app.prove.Judgement;
import dev.tiebreak.app.prove.Judgement.Faulty;
import dev.tiebreak.app.prove.Judgement.Judged;
import dev.tiebreak.app.prove.Records;
import dev.tiebreak.app.prove.SpecFiles;
import dev.tiebreak.prove.Coverage;
import dev.tiebreak.prove.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Verdicts on spec files as pages to look at: one a file that needs no other, and for several files an index. */
public final class ProofPages {
    private final Path folder;
    private final Records records;
    private final String server;

    /**
     * Pages in a folder that exists.
     *
     * @param records knows what the page of a file is called
     * @param server what they were proved on
     */
    public ProofPages(Path folder, Records records, String server) {
        this.folder = folder;
        this.records = records;
        this.server = server;
    }

    /** Writes all pages and returns the one to begin with. */
    public Path write(List<Judgement> judgements) {
        try {
            Path page = folder;
            for (Judgement judgement : judgements) {
                page = Files.writeString(folder.resolve(name(judgement)), page(judgement));
            }
            return judgements.size() == 1 ? page : Files.writeString(folder.resolve("index.html"), index(judgements));
        } catch (IOException e) {
            throw Complaint.about(e);
        }
    }

    private String name(Judgement judgement) {
        return records.name(judgement.file()) + ".html";
    }

    private String page(Judgement judgement) {
        return switch (judgement) {
            case Faulty faulty ->
                html(
                        faulty.word() + " · " + faulty.file(),
                        head(faulty, "It could not be run", SpecFiles.stem(faulty.file())) + "<p class=\"why bad\">"
                                + escaped(faulty.summary()) + "</p>\n");
            case Judged judged ->
                judged.verdict() instanceof Verdict.Violated violated ? violated.html() : good(judged);
        };
    }

    /** The page of a race that was not violated. */
    private String good(Judged judged) {
        Coverage run = judged.verdict().coverage();
        StringBuilder page = new StringBuilder(
                head(judged, judged.summary(), judged.verdict().race()));
        page.append("<p class=\"why ")
                .append(tone(judged))
                .append("\">")
                .append(meaning(judged))
                .append("</p>\n");
        page.append("<dl>\n");
        fact(page, "sessions", String.join(", ", run.sessions()) + " (" + run.steps() + " steps)");
        fact(page, "isolation", run.isolation());
        fact(
                page,
                "interleavings",
                Numbers.whole(run.interleavings()) + ", with up to " + run.preemptions()
                        + " switches away from a session that could go on");
        fact(page, "waits for a lock", Numbers.whole(run.waits()) + " in all of them");
        if (run.retries() > 0) {
            fact(
                    page,
                    "retries",
                    Numbers.whole(run.retried()) + " in all of them, at most " + run.retries() + " of a transaction");
        }
        fact(page, "server", server);
        if (!run.masked().isEmpty()) {
            fact(page, "not compared", String.join(", ", run.masked()));
        }
        page.append("</dl>\n");
        run.notes().forEach(note -> page.append("<p class=\"soft\">Note: ")
                .append(escaped(note))
                .append("</p>\n"));
        page.append("<h2>")
                .append(escaped(judged.file().toString()))
                .append("</h2>\n<pre>")
                .append(escaped(judged.text()))
                .append("</pre>\n");
        return html(judged.word() + " · " + judged.verdict().race(), page.toString());
    }

    private static String meaning(Judged judged) {
        return judged.verdict() instanceof Verdict.Proved
                ? "Every order in which these steps can meet was run on this server, and each one is good: for these sessions,"
                        + " this data and these isolation levels. Races inside one statement are not covered."
                : "Nothing was wrong in what was run, but that proves nothing: "
                        + escaped(judged.verdict() instanceof Verdict.Undecided undecided ? undecided.why() : "") + ".";
    }

    private static void fact(StringBuilder page, String name, String value) {
        page.append("<dt>")
                .append(escaped(name))
                .append("</dt><dd>")
                .append(escaped(value))
                .append("</dd>\n");
    }

    private static String head(Judgement judgement, String counts, String title) {
        return "<p class=\"verdict\">" + badge(judgement) + escaped(counts) + "</p>\n<h1>" + escaped(title) + "</h1>\n";
    }

    private String index(List<Judgement> judgements) {
        StringBuilder page = new StringBuilder("<h1>Races, and what the prover says</h1>\n<p class=\"soft\">"
                + escaped(counts(judgements)) + " Run on " + escaped(server) + ".</p>\n<table>\n");
        for (Judgement judgement : judgements) {
            page.append("<tr><td>")
                    .append(badge(judgement))
                    .append("</td><td><a href=\"")
                    .append(escaped(name(judgement)))
                    .append("\">")
                    .append(escaped(title(judgement)))
                    .append("</a><span class=\"file\">")
                    .append(escaped(judgement.file().toString()))
                    .append("</span></td><td>")
                    .append(escaped(judgement.summary()))
                    .append("</td></tr>\n");
        }
        return html("Tiebreak: races", page.append("</table>\n").toString());
    }

    private static String title(Judgement judgement) {
        return judgement instanceof Judged judged ? judged.verdict().race() : SpecFiles.stem(judgement.file());
    }

    private static String counts(List<Judgement> judgements) {
        StringBuilder counts = new StringBuilder(judgements.size() + " files:");
        String before = " ";
        for (String word : List.of("PROVED", "VIOLATED", "UNDECIDED", "ERROR")) {
            long count = judgements.stream().filter(j -> j.word().equals(word)).count();
            if (count > 0) {
                counts.append(before).append(count).append(' ').append(word.toLowerCase(Locale.ROOT));
                before = ", ";
            }
        }
        return counts.append('.').toString();
    }

    private static String badge(Judgement judgement) {
        return "<b class=\"" + tone(judgement) + "\">" + judgement.word() + "</b>";
    }

    private static String tone(Judgement judgement) {
        return switch (judgement.exitCode()) {
            case 0 -> "good";
            case 2 -> "open";
            default -> "bad";
        };
    }

    private static String html(String title, String body) {
        return """
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <title>%s</title>
                <style>
                %s</style>
                </head>
                <body>
                %s</body>
                </html>
                """.formatted(escaped(title), css(), body);
    }

    private static String css() {
        try (InputStream in = ProofPages.class.getResourceAsStream("proof.css")) {
            if (in == null) {
                throw new IllegalStateException("proof.css is not beside ProofPages");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
