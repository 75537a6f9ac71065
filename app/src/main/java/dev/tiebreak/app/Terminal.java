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

    /** The process's own; the launcher says by system properties which of the two streams are terminals. */
    public static Terminal ofProcess() {
        return new Terminal(
                new PrintWriter(System.out, true, System.out.charset()),
                new PrintWriter(System.err, true, System.err.charset()),
                System.getenv(),
                Boolean.getBoolean("tiebreak.out.terminal"),
                Boolean.getBoolean("tiebreak.err.terminal"));
    }

    /** The text in bold green or bold red, or as it is where colour is not wanted ({@code NO_COLOR}, no terminal). */
    public String verdict(boolean good, String text) {
        boolean colour = outIsTerminal && env.getOrDefault("NO_COLOR", "").isEmpty();
        return colour ? (good ? "\u001b[1;32m" : "\u001b[1;31m") + text + RESET : text;
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
