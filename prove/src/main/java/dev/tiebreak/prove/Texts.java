package dev.tiebreak.prove;

import dev.tiebreak.prove.picture.Picture;
import dev.tiebreak.prove.picture.Trace;
import java.util.ArrayList;
import java.util.List;

/** Verdicts as lines of text. */
final class Texts {
    private Texts() {}

    static String of(Verdict verdict, List<String> more) {
        List<String> lines = new ArrayList<>();
        lines.add(verdict.word() + "  " + verdict.race() + "   " + verdict.summary());
        lines.addAll(more);
        limits(lines, verdict.coverage());
        return String.join("\n", lines);
    }

    static String picture(Verdict.Violated violated, int width) {
        List<String> lines =
                new ArrayList<>(List.of(Picture.text(withFixes(violated), width).stripTrailing()));
        limits(lines, violated.coverage());
        return String.join("\n", lines);
    }

    private static void limits(List<String> lines, Coverage coverage) {
        coverage.notes().forEach(note -> lines.add("note  " + note));
        if (!coverage.masked().isEmpty()) {
            lines.add("note  not compared: " + String.join(", ", coverage.masked()));
        }
    }

    /** The trace with one line a cure, and below it what a proved one changes. */
    static Trace withFixes(Verdict.Violated violated) {
        return violated.fixes().isEmpty()
                ? violated.trace()
                : violated.trace()
                        .withFixes(violated.fixes().stream().map(Texts::lines).toList());
    }

    private static String lines(Fix fix) {
        return fix.proved() ? fix.summary() + "\n" + String.join("\n", fix.difference()) : fix.summary();
    }
}
