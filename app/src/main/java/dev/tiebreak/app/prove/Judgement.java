package dev.tiebreak.app.prove;

import dev.tiebreak.prove.Coverage;
import dev.tiebreak.prove.Fix;
import dev.tiebreak.prove.SetupException;
import dev.tiebreak.prove.Verdict;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What came of one spec file: a verdict, or the reason why there is none. */
public sealed interface Judgement {
    /** The file as the user named it. */
    Path file();

    /** {@code PROVED}, {@code VIOLATED}, {@code UNDECIDED} or {@code ERROR}. */
    String word();

    /** 0 if proved, 1 if violated, 2 if undecided, 3 if there is no verdict; the worst of several files is the highest. */
    int exitCode();

    /** What there is to say beside the word, on one line. */
    String summary();

    /** What {@code --json} says of the file. */
    Map<String, Object> json();

    /**
     * The race has a verdict.
     *
     * @param file as the user named it
     * @param text the file's text when it was run
     * @param verdict what the prover says
     */
    record Judged(Path file, String text, Verdict verdict) implements Judgement {
        @Override
        public String word() {
            return verdict.word();
        }

        @Override
        public int exitCode() {
            return verdict.exitCode();
        }

        @Override
        public String summary() {
            return verdict.summary();
        }

        @Override
        public Map<String, Object> json() {
            return switch (verdict) {
                case Verdict.Proved proved ->
                    json(
                            proved.coverage().preemptions(),
                            List.of(),
                            proved.coverage().bounds(),
                            List.of());
                case Verdict.Undecided undecided ->
                    json(undecided.coverage().preemptions(), List.of(), undecided.why(), List.of());
                case Verdict.Violated violated ->
                    json(violated.preemptions(), violated.schedule(), violated.sentence(), violated.fixes());
            };
        }

        private Map<String, Object> json(int preemptions, List<String> schedule, String reason, List<Fix> fixes) {
            Coverage run = verdict.coverage();
            return object(file, word(), run.interleavings(), run.violations(), preemptions, schedule, reason, fixes);
        }
    }

    /**
     * The race could not be run.
     *
     * @param file as the user named it
     * @param fault why, beginning with file and line where a line is at fault
     */
    record Faulty(Path file, SetupException fault) implements Judgement {
        @Override
        public String word() {
            return "ERROR";
        }

        @Override
        public int exitCode() {
            return 3;
        }

        @Override
        public String summary() {
            return String.valueOf(fault.getMessage());
        }

        @Override
        public Map<String, Object> json() {
            return object(file, word(), 0, 0, 0, List.of(), summary(), List.of());
        }
    }

    private static Map<String, Object> object(
            Path file,
            String verdict,
            long interleavings,
            long violations,
            int preemptions,
            List<String> schedule,
            String reason,
            List<Fix> fixes) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("file", file.toString());
        json.put("verdict", verdict);
        json.put("interleavings", interleavings);
        json.put("violations", violations);
        json.put("preemptions", preemptions);
        json.put("schedule", schedule);
        json.put("reason", reason);
        json.put("fixes", fixes.stream().map(Judgement::object).toList());
        return json;
    }

    private static Map<String, Object> object(Fix fix) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("fix", fix.name());
        json.put("verdict", fix.verdict());
        json.put("interleavings", fix.interleavings());
        return json;
    }
}
