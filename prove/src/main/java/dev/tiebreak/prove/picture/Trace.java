package dev.tiebreak.prove.picture;

import java.util.List;

/**
 * One run and the verdict on it: everything a picture shows.
 *
 * @param race the name of the race or file
 * @param word the verdict, such as {@code VIOLATED}
 * @param counts what was counted, such as {@code 40 of 50 interleavings break "sold = taken"}
 * @param switches how often the run leaves a session that could have gone on
 * @param sessions in the order of their lanes
 * @param events in the order of time
 * @param end what the run left behind
 * @param reason why it is wrong
 * @param fixes what was tried as a cure, one line each, and below that, on lines of their own, what it changes; empty if
 *     nothing was tried
 * @param again the command that replays it, or empty
 */
public record Trace(
        String race,
        String word,
        String counts,
        int switches,
        List<String> sessions,
        List<Event> events,
        List<Table> end,
        Reason reason,
        List<String> fixes,
        String again) {
    /** Takes copies of the lists and checks that every event has a lane. */
    public Trace {
        sessions = List.copyOf(sessions);
        events = List.copyOf(events);
        end = List.copyOf(end);
        fixes = List.copyOf(fixes);
        for (Event event : events) {
            if (!sessions.contains(event.session())) {
                throw new IllegalArgumentException(
                        "step " + event.step() + " is of session " + event.session() + ", which has no lane");
            }
        }
    }

    /** The same trace with these {@link #fixes()}. */
    public Trace withFixes(List<String> tried) {
        return new Trace(race, word, counts, switches, sessions, events, end, reason, tried, again);
    }

    /** The same trace with this command as {@link #again()}. */
    public Trace withAgain(String command) {
        return new Trace(race, word, counts, switches, sessions, events, end, reason, fixes, command);
    }
}
