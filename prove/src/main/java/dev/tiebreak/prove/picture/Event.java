package dev.tiebreak.prove.picture;

import java.util.List;

/**
 * One line of the picture. A step that waits makes two: {@link Kind#WAITS} where it starts, {@link Kind#RESUMED} where it
 * ends.
 *
 * @param session whose step it is
 * @param step the step's name
 * @param attempt 1, or more after a retry
 * @param text the statement on one line
 * @param kind whether it ran through, began to wait or went on
 * @param blockedBy the sessions for which it waits; empty unless it waits
 * @param outcomes what it answered, one a statement; empty while it waits
 * @param holds which locks the session holds afterwards, in words
 * @param values what changed, in words, such as {@code stock.qty 1 → 0}
 */
public record Event(
        String session,
        String step,
        int attempt,
        String text,
        Kind kind,
        List<String> blockedBy,
        List<Outcome> outcomes,
        List<String> holds,
        List<String> values) {
    /** How far a step got. */
    public enum Kind {
        /** It started and ended. */
        DONE,
        /** It started and waits. */
        WAITS,
        /** It had waited and ended. */
        RESUMED
    }

    /** Takes copies of the lists. */
    public Event {
        blockedBy = List.copyOf(blockedBy);
        outcomes = List.copyOf(outcomes);
        holds = List.copyOf(holds);
        values = List.copyOf(values);
    }
}
