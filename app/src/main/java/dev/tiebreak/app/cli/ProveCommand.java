package dev.tiebreak.app.cli;

import dev.tiebreak.app.Complaint;
import dev.tiebreak.app.Database;
import dev.tiebreak.app.Scratch;
import dev.tiebreak.app.Terminal;
import dev.tiebreak.app.prove.Invocation;
import dev.tiebreak.app.prove.Judgement;
import dev.tiebreak.app.prove.Judgement.Faulty;
import dev.tiebreak.app.prove.Judgement.Judged;
import dev.tiebreak.app.prove.Proving;
import dev.tiebreak.app.prove.Records;
import dev.tiebreak.app.prove.SpecFiles;
import dev.tiebreak.app.report.HtmlReport;
import dev.tiebreak.app.report.Json;
import dev.tiebreak.app.report.ProofPages;
import dev.tiebreak.app.report.ProofText;
import dev.tiebreak.prove.Replay;
import dev.tiebreak.prove.SpecProof;
import dev.tiebreak.prove.Verdict;
import dev.tiebreak.prove.picture.Picture;
import dev.tiebreak.prove.picture.Trace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Spec files on the command line. */
@Command(
        name = "prove",
        description = {
            "Runs every order in which the steps of a spec file's sessions can meet, on a real PostgreSQL, and says whether"
                    + " all are good. If not, it shows the shortest that is not.",
            ""
        },
        sortOptions = false,
        footer = {
            "",
            "FILE is a spec file: PostgreSQL's isolation test format, and #@ lines for what has to hold (see"
                    + " docs/reference/spec-format.md). Of a folder every *.spec in it and below it is proved; the pictures"
                    + " of those that break come after the verdicts.",
            "",
            "A violation is recorded, so that it can be run again, in a replay file: beside the report, or without --report"
                    + " in the folder tiebreak-USER of the temporary folder, in place of the file's last one. The line"
                    + " \"again\" names it.",
            "",
            "Exit codes: 0 PROVED, 1 VIOLATED, 2 UNDECIDED (a bound ended it, or what should happen never did), 3 it could"
                    + " not be run; of several files the highest. With --replay: 1 it breaks again, 0 it does not.",
            "",
            "Examples:",
            "  tiebreak prove examples/oversell.spec",
            "  tiebreak prove examples/oversell.spec --fixes      which cures are proved",
            "  tiebreak prove specs --report report --json proofs.json",
            "  tiebreak prove race.spec --preemptions 2 --budget 5m",
            "  tiebreak prove race.spec --url 'jdbc:postgresql://localhost/shop?user=ravi'",
            "  tiebreak prove --replay report/race.replay"
        })
final class ProveCommand extends HelpfulCommand {
    private static final Pattern TIME = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");
    private static final Duration LONGEST = Duration.ofHours(24);

    private final Terminal terminal;

    @Parameters(arity = "0..*", paramLabel = "FILE|DIR", description = "Spec files, or folders that hold some.")
    private List<Path> paths = List.of();

    @Option(
            names = "--preemptions",
            paramLabel = "N|all",
            description = "Only orders with at most N switches away from a session that could go on. Default: all.")
    private String preemptions = "all";

    @Option(
            names = "--budget",
            paramLabel = "TIME",
            description =
                    "The most time for a file, and again for each of its cures: 500ms, 60s, 5m, 1h. Default: 60s.")
    private String budget = "60s";

    @Option(
            names = "--fixes",
            description = "Also try the known cures on a file that breaks, and show what the proved ones change.")
    private boolean fixes;

    @Option(
            names = "--replay",
            paramLabel = "FILE",
            description = "Run a recorded violation again, and show it step by step. Takes no other file.")
    private @Nullable Path replay;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            description = "Also write a page a file into DIR that needs no other, and of several files an index.html.")
    private @Nullable Path report;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write the result as JSON.")
    private @Nullable Path json;

    @Mixin
    private final ServerOptions server = new ServerOptions();

    ProveCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (replay != null) {
            return again(replay);
        }
        Proving proving = new Proving(preemptions(), budget(), fixes);
        if (paths.isEmpty()) {
            throw new Complaint("nothing to prove; name a spec file, or a folder of them; see tiebreak prove --help");
        }
        List<Path> files = SpecFiles.in(paths);
        if (json != null) {
            Json.requireWritable(json);
        }
        if (report != null) {
            HtmlReport.requireWritable(report);
        }
        return prove(files, proving);
    }

    private int prove(List<Path> files, Proving proving) {
        Records records = new Records(files, report);
        Invocation invocation = Invocation.ofProcess(server.asTyped());
        ProofText text = new ProofText(terminal, files, invocation, fixes);
        List<Judgement> judgements = new ArrayList<>();
        long start = System.nanoTime();
        String description;
        try (Database database = server.open(terminal)) {
            description = database.description();
            Scratch.in(database).close(); // complains once of what would be wrong with every file
            for (Path file : files) {
                ProveProgress progress = new ProveProgress(terminal, file, judgements.size() + 1, files.size());
                Judgement judgement = recorded(proving.judge(file, database, progress), records, invocation);
                terminal.progressDone();
                Tiebreak.waitIfGoingDown();
                judgements.add(judgement);
                if (files.size() > 1) {
                    text.line(judgement);
                }
            }
        } finally {
            terminal.progressDone();
        }
        if (json != null) {
            Json.write(
                    json,
                    Map.of("files", judgements.stream().map(Judgement::json).toList()));
        }
        print(judgements, text, Duration.ofNanos(System.nanoTime() - start), description);
        if (report != null) {
            terminal.note("the report is in "
                    + new ProofPages(report, records, description)
                            .write(judgements)
                            .toUri());
        }
        if (judgements.size() == 1 && judgements.get(0) instanceof Faulty faulty) {
            throw Complaint.about(faulty.fault());
        }
        return judgements.stream().mapToInt(Judgement::exitCode).max().orElse(0);
    }

    private void print(List<Judgement> judgements, ProofText text, Duration took, String description) {
        boolean several = judgements.size() > 1;
        for (Judgement judgement : judgements) {
            if (judgement instanceof Judged judged) {
                if (!several) {
                    text.whole(judged);
                } else if (judged.verdict() instanceof Verdict.Violated) {
                    text.wholeOf(judged);
                }
            }
        }
        if (several) {
            text.summary(judgements, paths, took, description);
        }
    }

    /** The judgement on a violated race, with its record written and the command that runs it again. */
    private Judgement recorded(Judgement judgement, Records records, Invocation invocation) {
        if (!(judgement instanceof Judged judged) || !(judged.verdict() instanceof Verdict.Violated violated)) {
            return judgement;
        }
        try {
            Path record = records.write(judged, violated);
            return new Judged(
                    judged.file(), judged.text(), violated.with(violated.trace().withAgain(invocation.replay(record))));
        } catch (IOException e) {
            terminal.note("the violation of " + judged.file() + " is not recorded: "
                    + Complaint.about(e).getMessage());
            return judgement;
        }
    }

    private int again(Path record) {
        if (!paths.isEmpty() || fixes || report != null || json != null) {
            throw new Complaint("--replay runs one record and takes no file, --fixes, --report or --json besides");
        }
        Replay recorded = Replay.read(record);
        Records.spec(record, recorded);
        Trace trace;
        String description;
        try (Database database = server.open(terminal)) {
            description = database.description();
            Scratch.in(database).close();
            trace = Proving.again(record, recorded, database);
        } finally {
            terminal.progressDone();
        }
        boolean breaks = trace.word().equals("VIOLATED");
        String picture = Picture.text(trace, terminal.columns());
        terminal.out()
                .println(terminal.verdict(!breaks, trace.word())
                        + picture.substring(trace.word().length()));
        terminal.out().println("on    " + description + " (recorded on " + recorded.server() + ")");
        terminal.out().flush();
        return breaks ? 1 : 0;
    }

    private int preemptions() {
        if (preemptions.equals("all")) {
            return SpecProof.ALL;
        }
        if (!preemptions.matches("[0-9]{1,3}")) {
            throw new Complaint("--preemptions is a number from 0 to 999, or all, not \"" + preemptions + "\"");
        }
        return Integer.parseInt(preemptions);
    }

    private Duration budget() {
        Matcher time = TIME.matcher(budget);
        if (time.matches()) {
            long count = Long.parseLong(time.group(1));
            Duration duration =
                    switch (time.group(2)) {
                        case "ms" -> Duration.ofMillis(count);
                        case "s" -> Duration.ofSeconds(count);
                        case "m" -> Duration.ofMinutes(count);
                        default -> Duration.ofHours(count);
                    };
            if (duration.isPositive() && duration.compareTo(LONGEST) <= 0) {
                return duration;
            }
        }
        throw new Complaint("--budget is a time from 1ms to 24h, such as 500ms, 60s or 5m, not \"" + budget + "\"");
    }
}
