package dev.tiebreak.app.cli;

import dev.tiebreak.app.Terminal;
import dev.tiebreak.app.report.Numbers;
import dev.tiebreak.prove.SpecProof.Progress;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Shows where the proof of one file stands, ten times a second at most. */
final class ProveProgress implements Consumer<Progress> {
    private static final long EVERY_NANOS = 100_000_000;
    private static final int LONGEST_NAME = 32;

    private final Terminal terminal;
    private final String what;
    private long shownAt;

    ProveProgress(Terminal terminal, Path file, int number, int count) {
        this.terminal = terminal;
        String name = String.valueOf(file.getFileName());
        this.what = (count == 1 ? "" : number + "/" + count + " ")
                + (name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME - 1) + "…");
        terminal.progress(what + ": setting up …");
        this.shownAt = System.nanoTime();
    }

    @Override
    public void accept(Progress progress) {
        long now = System.nanoTime();
        if (now - shownAt >= EVERY_NANOS) {
            shownAt = now;
            terminal.progress(what + (progress.cure().isEmpty() ? "" : " with " + progress.cure()) + ": "
                    + Numbers.whole(progress.interleavings()) + " orders run, " + Numbers.whole(progress.violations())
                    + " bad, " + progress.took().toSeconds() + " s");
        }
    }
}
