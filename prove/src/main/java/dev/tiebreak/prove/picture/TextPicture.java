package dev.tiebreak.prove.picture;

import java.util.ArrayList;
import java.util.List;

/** Draws one trace as text: a lane a session, a line an event, time downwards. */
final class TextPicture {
    private static final String MARGIN = "  ";
    private static final int GAP = 3;

    private final Trace trace;
    private final int width;
    private final int lane;
    private final int left;
    private final boolean locksMatter;
    private final List<String> lines = new ArrayList<>();

    TextPicture(Trace trace, int width) {
        this.trace = trace;
        this.width = width;
        int lanes = trace.sessions().size();
        int room = (width - MARGIN.length()) / lanes - GAP;
        int answers = 0;
        int statements = 0;
        for (Event event : trace.events()) {
            int answer = answer(event).length();
            answers = Math.max(answers, answer <= room / 2 ? answer : 0);
            statements = Math.max(statements, statement(event).length());
        }
        this.left = Math.min(statements, Math.max(room - GAP - answers, room / 2));
        this.lane = Math.min(room, Math.max(left + GAP + answers, longestName()));
        this.locksMatter = trace.events().stream()
                .anyMatch(e -> e.kind() == Event.Kind.WAITS
                        || e.outcomes().stream().anyMatch(o -> o instanceof Outcome.Count c && c.rows() == 0));
    }

    String draw() {
        lines.add(trace.word() + "  " + trace.race() + "   " + trace.counts() + "   fewest switches: "
                + trace.switches());
        StringBuilder names = new StringBuilder(MARGIN);
        trace.sessions().forEach(name -> names.append(pad(name, lane + GAP)));
        lines.add(names.toString().stripTrailing());
        for (int i = 0; i < trace.events().size(); i++) {
            event(i);
        }
        trace.end().forEach(this::end);
        paragraph("why   ", trace.reason().sentence());
        if (!trace.fixes().isEmpty()) {
            fixes();
        }
        if (!trace.again().isEmpty()) {
            lines.add("again " + trace.again());
        }
        return String.join("\n", lines);
    }

    private void event(int index) {
        Event event = trace.events().get(index);
        String indent = MARGIN + " ".repeat(trace.sessions().indexOf(event.session()) * (lane + GAP));
        List<String> statement = wrap(statement(event), left);
        String answer = answer(event);
        boolean beside = left + GAP + answer.length() <= lane;
        for (int i = 0; i < statement.size(); i++) {
            boolean last = i == statement.size() - 1;
            String text = indent + (last && beside ? pad(statement.get(i), left + GAP) + answer : statement.get(i));
            lines.add(text.stripTrailing());
        }
        if (!beside) {
            below(indent, answer);
        }
        if (event.kind() != Event.Kind.WAITS) {
            int shown = answerIsValue(event) ? 1 : 0;
            event.values().stream().skip(shown).forEach(value -> below(indent, value));
            List<String> gained = locksMatter ? Words.gained(trace.events(), index) : List.of();
            if (!gained.isEmpty()) {
                below(indent, "holds " + String.join(", ", gained));
            }
        }
    }

    private void below(String indent, String text) {
        wrap(text, lane - MARGIN.length()).forEach(line -> lines.add(indent + MARGIN + line));
    }

    private static String statement(Event event) {
        if (event.kind() == Event.Kind.RESUMED) {
            return Words.failed(event) ? "… ends" : "… goes on";
        }
        return event.text();
    }

    private static String answer(Event event) {
        if (event.kind() == Event.Kind.WAITS) {
            return Words.waits(event);
        }
        return answerIsValue(event) ? event.values().getFirst() : Words.answer(event.outcomes());
    }

    /** COMMIT has nothing to say, so what it made visible stands in the place of its answer. */
    private static boolean answerIsValue(Event event) {
        return Words.answer(event.outcomes()).isEmpty() && !event.values().isEmpty();
    }

    private void end(Table table) {
        if (!table.order().isEmpty() && table.rows().equals(table.expected())) {
            return;
        }
        String text = table.name() + ": " + Words.named(table.columns(), table.rows());
        if (!table.order().isEmpty()) {
            text += "   (" + table.order() + ": " + Words.named(table.columns(), table.expected()) + ")";
        }
        paragraph("end   ", text);
    }

    private void paragraph(String head, String text) {
        String before = head;
        for (String line : wrap(text, width - head.length())) {
            lines.add(before + line);
            before = " ".repeat(head.length());
        }
    }

    /** As many on a line as fit; a fix is not broken unless it is longer than a line. Below them what they change. */
    private void fixes() {
        StringBuilder line = new StringBuilder();
        String head = "fixes ";
        for (String fix : trace.fixes().stream().map(TextPicture::firstLine).toList()) {
            if (!line.isEmpty() && head.length() + line.length() + 5 + fix.length() > width) {
                paragraph(head, line + " ·");
                head = " ".repeat(head.length());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " · ").append(fix);
        }
        paragraph(head, line.toString());
        trace.fixes().stream().filter(fix -> fix.contains("\n")).forEach(this::difference);
    }

    private void difference(String fix) {
        String indent = " ".repeat("fixes ".length());
        fix.lines()
                .skip(1)
                .forEach(line ->
                        paragraph(line.startsWith("- ") || line.startsWith("+ ") ? indent + MARGIN : indent, line));
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    private int longestName() {
        return trace.sessions().stream().mapToInt(String::length).max().orElse(0);
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    /** Breaks at blanks; a word that is longer than a line is cut. */
    private static List<String> wrap(String text, int width) {
        List<String> wrapped = new ArrayList<>();
        String rest = text;
        while (rest.length() > width) {
            int blank = rest.lastIndexOf(' ', width);
            int cut = blank > 0 ? blank : width;
            wrapped.add(rest.substring(0, cut).stripTrailing());
            rest = rest.substring(cut).stripLeading();
        }
        wrapped.add(rest);
        return wrapped;
    }
}
