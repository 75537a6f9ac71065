package dev.tiebreak.prove;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * A violation that can be run again, step by step: what a replay file holds.
 *
 * <p>The file is text: one {@code name: value} a line.
 *
 * @param file the spec file, as the user named it
 * @param digest of the spec file's text: the schedule means nothing to another text
 * @param broken what the schedule breaks
 * @param server the version of the server it was found on
 * @param schedule the session of each turn
 */
public record Replay(String file, String digest, String broken, String server, List<String> schedule) {
    private static final String HEAD = "tiebreak replay 1";
    private static final String SEPARATOR = " , ";

    /** Takes a copy of the schedule. */
    public Replay {
        schedule = List.copyOf(schedule);
    }

    /**
     * The replay of a violation.
     *
     * @param text of the spec file
     */
    public static Replay of(Verdict.Violated violated, String text) {
        return new Replay(
                violated.file(),
                digest(text),
                violated.broken(),
                violated.coverage().server(),
                violated.schedule());
    }

    /** Whether this is the text of the spec file at the time of the violation. */
    public boolean isOf(String text) {
        return digest.equals(digest(text));
    }

    private static String digest(String text) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(sum);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Writes the file, over an old one if there is one. */
    public void write(Path to) throws IOException {
        Files.writeString(to, """
                %s
                file: %s
                sha256: %s
                broken: %s
                server: %s
                schedule: %s
                """.formatted(HEAD, file, digest, broken, server, String.join(SEPARATOR, schedule)));
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
        } catch (NoSuchFileException e) {
            throw new SetupException(from + ": no such file", e);
        } catch (CharacterCodingException e) {
            throw new SetupException(from + ": not a replay file: it is not text", e);
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
        for (String name : List.of("file", "sha256", "schedule")) {
            if (!values.containsKey(name)) {
                throw new SetupException(from + ": not a whole replay file: the line \"" + name + ": …\" is missing");
            }
        }
        return new Replay(
                values.getOrDefault("file", ""),
                values.getOrDefault("sha256", ""),
                values.getOrDefault("broken", ""),
                values.getOrDefault("server", ""),
                List.of(values.getOrDefault("schedule", "").split(SEPARATOR, -1)));
    }
}
