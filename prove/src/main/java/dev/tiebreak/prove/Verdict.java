package dev.tiebreak.prove;

import dev.tiebreak.prove.engine.Prover;
import dev.tiebreak.prove.picture.Picture;
import dev.tiebreak.prove.picture.Trace;
import java.util.List;

/**
 * What the prover says about a race; one of three things that are never blurred.
 *
 * <p>A race that cannot be run at all has no verdict: it throws {@link SetupException}, or
 * {@link dev.tiebreak.prove.spec.SpecException} with file and line. Immutable.
 */
public sealed interface Verdict {
    /** The name of the race. */
    String race();

    /** The spec file, or an empty string for ordinary code. */
    String file();

    /** What was run. */
    Coverage coverage();

    /** {@code PROVED}, {@code VIOLATED} or {@code UNDECIDED}. */
    String word();

    /** 0 if proved, 1 if violated, 2 if undecided. */
    int exitCode();

    /** The verdict and the counts on one line, without the name of the race. */
    String summary();

    /**
     * Returns if the race is proved.
     *
     * @throws AssertionError otherwise, with the picture of the shortest breaking schedule, or with what ended the search
     */
    default void assertProved() {
        if (!(this instanceof Proved)) {
            throw new AssertionError("\n" + text());
        }
    }

    /** Everything there is to say, on several lines. */
    String text();

    /**
     * Every feasible interleaving was run and judged good, within the bounds that {@link Coverage} names.
     *
     * @param race the name of the race
     * @param file the spec file, or an empty string
     * @param coverage what was run
     */
    record Proved(String race, String file, Coverage coverage) implements Verdict {
        @Override
        public String word() {
            return "PROVED";
        }

        @Override
        public int exitCode() {
            return 0;
        }

        @Override
        public String summary() {
            return coverage.interleavings() == 1
                    ? "the only interleaving is good"
                    : "all " + coverage.interleavings() + " interleavings are good";
        }

        @Override
        public String text() {
            return Texts.of(this, List.of("for   " + coverage.bounds()));
        }
    }

    /**
     * At least one interleaving is bad.
     *
     * @param race the name of the race
     * @param file the spec file, or an empty string
     * @param coverage what was run
     * @param broken what the shortest bad schedule breaks: an invariant's name, {@code serial equivalence}, or an error
     * @param sentence why, in words
     * @param preemptions how often that schedule leaves a session that could have gone on
     * @param schedule the session of each turn: the schedule that can be replayed
     * @param trace the same as a story, for a picture
     * @param fixes the cures that were tried, cheapest first; empty if none were asked for
     */
    record Violated(
            String race,
            String file,
            Coverage coverage,
            String broken,
            String sentence,
            int preemptions,
            List<String> schedule,
            Trace trace,
            List<Fix> fixes)
            implements Verdict {
        /** Takes copies of the lists. */
        public Violated {
            schedule = List.copyOf(schedule);
            fixes = List.copyOf(fixes);
        }

        @Override
        public String word() {
            return "VIOLATED";
        }

        @Override
        public int exitCode() {
            return 1;
        }

        @Override
        public String summary() {
            return trace.counts();
        }

        @Override
        public String text() {
            return text(Picture.WIDTH);
        }

        /**
         * Everything there is to say, with a picture of so many columns.
         *
         * @param width at least 40
         */
        public String text(int width) {
            return Texts.picture(this, width);
        }

        /** The same verdict with another telling, such as one that names the command to run it again. */
        public Violated with(Trace told) {
            return new Violated(race, file, coverage, broken, sentence, preemptions, schedule, told, fixes);
        }

        /** Whether it fails also without a race: when the transactions run one after another. */
        public boolean isSerial() {
            return sentence.startsWith(Prover.NOT_A_RACE);
        }

        /** The same verdict with the cures that were tried. */
        Violated with(List<Fix> tried) {
            return new Violated(race, file, coverage, broken, sentence, preemptions, schedule, trace, tried);
        }

        /** The picture as one self-contained HTML file. */
        public String html() {
            return Picture.html(Texts.withFixes(this));
        }
    }

    /**
     * No interleaving was bad, but the search ended before it was complete, or nothing of interest happened.
     *
     * @param race the name of the race
     * @param file the spec file, or an empty string
     * @param coverage what was run
     * @param why what ended the search, or which {@code sometimes} never occurred
     */
    record Undecided(String race, String file, Coverage coverage, String why) implements Verdict {
        @Override
        public String word() {
            return "UNDECIDED";
        }

        @Override
        public int exitCode() {
            return 2;
        }

        @Override
        public String summary() {
            return "no violation in " + coverage.interleavings() + " runs with up to " + coverage.preemptions()
                    + (coverage.preemptions() == 1 ? " preemption; " : " preemptions; ") + why;
        }

        @Override
        public String text() {
            return Texts.of(this, List.of("for   " + coverage.bounds()));
        }
    }
}
