package dev.tiebreak.prove.engine;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The rows that a run left behind.
 *
 * @param tables by name; the user's own query has the name "state"
 */
record State(Map<String, Answer.Rows> tables) {
    static final State NONE = new State(Map.of());

    State {
        tables = new TreeMap<>(tables);
    }

    List<String> names() {
        return List.copyOf(tables.keySet());
    }
}
