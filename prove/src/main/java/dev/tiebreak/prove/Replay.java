package dev.tiebreak.prove;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A violation that can be run again, step by step: what a replay file holds.
 *
 * <p>The file is text: one {@code name: value} a line.
 *
 * @param file the spec file, as the user named it
 * @param broken what the schedule breaks
 * @param server the version of the server it was found on
 * @param schedule the session of each turn
 */
public record Replay(String file, String broken, String server, List<String> schedule) {
    private static final String HEAD = "tiebreak replay 1";
    private static final String SEPARATOR = " , ";

    /** Takes a copy of the schedule. */
    public Replay {
        schedule = List.copyOf(schedule);
    }

    /** The replay of a violation. */
    public static Replay of(Verdict.Violated violated) {
        return new Replay(
                violated.file(), violated.broken(), violated.coverage().server(), violated.schedule());
    }

    /** Writes the file, over an old one if there is one. */
    public void write(Path to) throws IOException {
        Files.writeString(to, """
                %s
                file: %s
                broken: %s
                server: %s
                schedule: %s
                """.formatted(HEAD, file, broken, server, String.join(SEPARATOR, schedule)));
    }

    /**
     * Reads a file.
     *
     * @throws SetupException if it is missing or not a replay file
     */
    public static Replay read(Path from) {
        List<String> lines;
        try {
            lines = Files.readAllLines(from);
        } catch (IOException e) {
            throw new SetupException(from + ": cannot be read: " + e.getMessage(), e);
        }
        if (lines.isEmpty() || !lines.get(0).strip().equals(HEAD)) {
            throw new SetupException(from + ":1: not a replay file: it does not begin with \"" + HEAD + "\"");
        }
        Map<String, String> values = new HashMap<>();
        for (String line : lines.subList(1, lines.size())) {
            int colon = line.indexOf(": ");
            if (colon > 0) {
                values.put(line.substring(0, colon), line.substring(colon + 2).strip());
            }
        }
        if (!values.containsKey("file") || !values.containsKey("schedule")) {
            throw new SetupException(from + ": a replay file names a file and a schedule");
        }
        return new Replay(
                values.getOrDefault("file", ""),
                values.getOrDefault("broken", ""),
                values.getOrDefault("server", ""),
                List.of(values.getOrDefault("schedule", "").split(SEPARATOR, -1)));
    }
}
