package dev.tiebreak.prove;

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
        return of(violated, List.of("why   " + violated.sentence()));
    }
}
