package dev.tiebreak.app.report;

import dev.tiebreak.app.Terminal;
import dev.tiebreak.app.Terminal.Tone;
import dev.tiebreak.app.prove.Invocation;
import dev.tiebreak.app.prove.Judgement;
import dev.tiebreak.app.prove.Judgement.Judged;
import dev.tiebreak.prove.Verdict;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Verdicts on spec files for people. */
public final class ProofText {
    private static final int WORD = "UNDECIDED".length();

    /** So many files are named one by one. */
    private static final int FEW = 3;

    private final Terminal terminal;
    private final Invocation invocation;
    private final boolean fixes;
    private final int longest;

    /**
     * Texts about these files.
     *
     * @param invocation how the command was called
     * @param fixes whether cures were tried
     */
    public ProofText(Terminal terminal, Collection<Path> files, Invocation invocation, boolean fixes) {
        this.terminal = terminal;
        this.invocation = invocation;
        this.fixes = fixes;
        this.longest =
                files.stream().mapToInt(file -> file.toString().length()).max().orElse(0);
    }

    /** One line about a file, in columns with those about the others. */
    public void line(Judgement judgement) {
        String file = judgement.file().toString();
        String fault = judgement.summary();
        // The message of a fault names the file again, with its line.
        String summary = fault.startsWith(file + ":") ? "line " + fault.substring(file.length() + 1) : fault;
        terminal.out()
                .println(coloured(judgement.word())
                        + " ".repeat(WORD - judgement.word().length()) + "  " + file
                        + " ".repeat(longest - file.length()) + "  " + summary);
        terminal.out().flush();
    }

    /** All there is to say about a file, its verdict first, and what to do next. */
    public void whole(Judged judged) {
        whole(judged, true);
    }

    private void whole(Judged judged, boolean offersFixes) {
        if (judged.verdict() instanceof Verdict.Violated violated) {
            String again = violated.trace().again();
            print(judged, violated.with(violated.trace().withAgain("")).text(terminal.columns()));
            // Commands are not wrapped: they are there to be pasted.
            if (fixes && violated.isSerial()) {
                terminal.out().println("fixes none is tried: what fails one after another is no race");
            } else if (fixes && violated.fixes().isEmpty()) {
                terminal.out().println("fixes none of the known cures changes anything in this file");
            } else if (offersFixes && !fixes && !violated.isSerial()) {
                terminal.out().println("fixes " + invocation.fixes(List.of(judged.file())));
            }
            if (!again.isEmpty()) {
                terminal.out().println("again " + again);
            }
        } else {
            print(judged, judged.verdict().text());
        }
        terminal.out().flush();
    }

    private void print(Judged judged, String text) {
        terminal.out()
                .println(coloured(judged.word()) + text.substring(judged.word().length()));
    }

    /** The same about one of several files. */
    public void wholeOf(Judged judged) {
        terminal.out().println("\n" + judged.file());
        whole(judged, false);
    }

    /**
     * The last lines about several files.
     *
     * @param paths the arguments that named them
     */
    public void summary(List<Judgement> judgements, List<Path> paths, Duration took, String server) {
        StringBuilder counts = new StringBuilder();
        for (String word : List.of("PROVED", "VIOLATED", "UNDECIDED", "ERROR")) {
            long count = judgements.stream().filter(j -> j.word().equals(word)).count();
            if (count > 0) {
                counts.append(counts.isEmpty() ? "" : ", ")
                        .append(count)
                        .append(' ')
                        .append(coloured(word));
            }
        }
        terminal.out()
                .println("\n" + judgements.size() + " files: " + counts + "   in "
                        + Numbers.millis(took.toNanos() / 1e6) + ", " + server);
        List<Path> violated = judgements.stream()
                .filter(j -> j.word().equals("VIOLATED"))
                .map(Judgement::file)
                .toList();
        if (!fixes && !violated.isEmpty()) {
            terminal.out().println("fixes " + invocation.fixes(violated.size() <= FEW ? violated : paths));
        }
        terminal.out().flush();
    }

    private String coloured(String word) {
        return terminal.verdict(
                switch (word) {
                    case "PROVED" -> Tone.GOOD;
                    case "UNDECIDED" -> Tone.OPEN;
                    default -> Tone.BAD;
                },
                word);
    }
}
