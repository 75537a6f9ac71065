package dev.tiebreak.prove.picture;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who waits for whom at the moment in which the server breaks a deadlock. */
final class Standoff {
    private static final String DEADLOCK = "40P01";

    private Standoff() {}

    /** One edge a waiting session and blocker; none if the run has no deadlock. */
    static List<Edge> of(List<Event> events) {
        Map<String, Event> waiting = new LinkedHashMap<>();
        for (Event event : events) {
            if (event.kind() == Event.Kind.WAITS) {
                waiting.put(event.session(), event);
            } else if (event.outcomes().stream().anyMatch(Standoff::isDeadlock)) {
                return edges(waiting);
            } else {
                waiting.remove(event.session());
            }
        }
        return List.of();
    }

    private static boolean isDeadlock(Outcome outcome) {
        return outcome instanceof Outcome.Failed failed && failed.sqlState().equals(DEADLOCK);
    }

    private static List<Edge> edges(Map<String, Event> waiting) {
        List<Edge> edges = new ArrayList<>();
        waiting.forEach((session, event) -> {
            for (String blocker : event.blockedBy()) {
                edges.add(new Edge(
                        session,
                        blocker,
                        session + " waits",
                        session + " wants to run " + event.text() + ", but " + blocker + " has what it needs"));
            }
        });
        return edges;
    }
}
