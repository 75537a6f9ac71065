package dev.tiebreak.prove.spec;

import java.util.List;

/**
 * One order of steps that the file asks for; a step may be named more than once or not at all.
 *
 * @param turns the steps in the order in which they are started
 * @param at where the line begins
 */
public record Permutation(List<Turn> turns, Position at) {
    /** Takes a copy of the turns. */
    public Permutation {
        turns = List.copyOf(turns);
    }

    /**
     * One step in a permutation.
     *
     * @param step its name
     * @param markers what delays the report that it ended
     * @param at where it is named
     */
    public record Turn(String step, List<Marker> markers, Position at) {
        /** Takes a copy of the markers. */
        public Turn {
            markers = List.copyOf(markers);
        }
    }

    /** A reason to report the end of a step later than it happened, so that the output is the same in every run. */
    public sealed interface Marker {
        /** {@code (*)}: reported as waiting once, whether it waits or not. */
        record Once() implements Marker {}

        /**
         * {@code (other)}: not reported as ended while the other step is running.
         *
         * @param step the other step, of another session
         */
        record After(String step) implements Marker {}

        /**
         * {@code (other notices 2)}: not reported as ended before the other step's session has sent so many more notices.
         *
         * @param step the other step, of another session
         * @param count how many notices, counted from the start of the marked step
         */
        record Notices(String step, int count) implements Marker {}
    }
}
