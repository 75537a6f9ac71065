package dev.tiebreak.app;

import java.io.PrintWriter;
import java.util.Map;

/**
 * Where a command reads its environment and writes: data to {@code out}, progress and complaints to {@code err}.
 *
 * @param out data
 * @param err progress and complaints
 * @param env the environment variables
 * @param outIsTerminal whether a person reads {@code out}: colour is allowed
 * @param errIsTerminal whether a person reads {@code err}: live progress is allowed
 */
public record Terminal(
        PrintWriter out, PrintWriter err, Map<String, String> env, boolean outIsTerminal, boolean errIsTerminal) {
    private static final String RESET = "\u001b[0m";
    private static final int NARROWEST = 60;
    private static final int WIDEST = 160;
    private static final int USUAL = 120;

    /** The process's own; the launcher says by system properties which of the two streams are terminals. */
    public static Terminal ofProcess() {
        return new Terminal(
                new PrintWriter(System.out, true, System.out.charset()),
                new PrintWriter(System.err, true, System.err.charset()),
                System.getenv(),
                Boolean.getBoolean("tiebreak.out.terminal"),
                Boolean.getBoolean("tiebreak.err.terminal"));
    }

    /** How good news is. */
    public enum Tone {
        /** As it should be: green. */
        GOOD("\u001b[1;32m"),
        /** Not as it should be: red. */
        BAD("\u001b[1;31m"),
        /** Nobody knows yet: yellow. */
        OPEN("\u001b[1;33m");

        private final String colour;

        Tone(String colour) {
            this.colour = colour;
        }
    }

    /** The text in bold green or bold red, or as it is where colour is not wanted ({@code NO_COLOR}, no terminal). */
    public String verdict(boolean good, String text) {
        return verdict(good ? Tone.GOOD : Tone.BAD, text);
    }

    /** The text in bold and its tone's colour, or as it is where colour is not wanted ({@code NO_COLOR}, no terminal). */
    public String verdict(Tone tone, String text) {
        boolean colour = outIsTerminal && env.getOrDefault("NO_COLOR", "").isEmpty();
        return colour ? tone.colour + text + RESET : text;
    }

    /** How wide pictures on {@code out} may be: as the terminal ({@code COLUMNS}) within reason, or 120 columns. */
    public int columns() {
        String columns = env.getOrDefault("COLUMNS", "");
        return outIsTerminal && columns.matches("[0-9]{1,4}")
                ? Math.clamp(Integer.parseInt(columns), NARROWEST, WIDEST)
                : USUAL;
    }

    /** Shows what is going on, on one line that the next call overwrites; without a terminal, says nothing. */
    public void progress(String text) {
        if (errIsTerminal) {
            err.print("\r\u001b[K" + text);
            err.flush();
        }
    }

    /** Removes the line of {@link #progress}. */
    public void progressDone() {
        progress("");
    }

    /** Says something that is worth a line even in a log. */
    public void note(String text) {
        progressDone();
        err.println(text);
    }
}
