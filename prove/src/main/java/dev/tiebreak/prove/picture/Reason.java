package dev.tiebreak.prove.picture;

import java.util.List;

/**
 * Why the run is wrong.
 *
 * @param sentence for the line {@code why}
 * @param edges the orders that do not fit together; empty if an invariant or an error is the reason
 */
public record Reason(String sentence, List<Edge> edges) {
    /** Takes a copy of the edges. */
    public Reason {
        edges = List.copyOf(edges);
    }
}
