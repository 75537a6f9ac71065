package dev.tiebreak.prove.picture;

/**
 * One thing that the run says about the order of two transactions: {@code from} must come before {@code to}.
 *
 * @param from a session
 * @param to another session
 * @param label a few words, such as {@code read qty before it was written}
 * @param sentence the whole sentence
 */
public record Edge(String from, String to, String label, String sentence) {}
