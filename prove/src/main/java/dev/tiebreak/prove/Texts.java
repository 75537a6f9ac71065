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
        verdict.coverage().notes().forEach(note -> lines.add("note  " + note));
        if (!verdict.coverage().masked().isEmpty()) {
            lines.add("not compared  " + String.join(", ", verdict.coverage().masked()));
        }
        return String.join("\n", lines);
    }

    static String picture(Verdict.Violated violated) {
        List<String> lines =
                new ArrayList<>(List.of(Picture.text(withFixes(violated)).stripTrailing()));
        violated.coverage().notes().forEach(note -> lines.add("note  " + note));
        return String.join("\n", lines);
    }

    /** The trace with one line a cure. */
    static Trace withFixes(Verdict.Violated violated) {
        Trace t = violated.trace();
        List<String> fixes = violated.fixes().stream()
                .map(fix -> fix.name() + ": " + fix.verdict() + " (" + fix.interleavings() + ")")
                .toList();
        return new Trace(
                t.race(),
                t.word(),
                t.counts(),
                t.switches(),
                t.sessions(),
                t.events(),
                t.end(),
                t.reason(),
                fixes,
                t.again());
    }
}
