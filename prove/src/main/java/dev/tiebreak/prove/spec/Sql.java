package dev.tiebreak.prove.spec;

/**
 * The text between a pair of braces, as the stock tester sends and prints it: without the blanks next to the braces, with
 * its line ends.
 *
 * @param text one or more statements
 * @param at the line of the opening brace
 */
public record Sql(String text, Position at) {
    /**
     * The line of a character of the text, for errors in which the server names a position.
     *
     * @param position counted from 1, as the server counts; anything outside the text means its first line
     */
    public Position lineOf(int position) {
        int end = Math.clamp(position - 1L, 0, text.length());
        int lines = (int) text.substring(0, end).chars().filter(c -> c == '\n').count();
        return position > text.length() + 1 ? at : new Position(at.file(), at.line() + lines);
    }

    /** The text for people: on one line, every run of white space as one blank, without a semicolon at the end. */
    public String oneLine() {
        return text.strip().replaceFirst("\\s*;$", "").replaceAll("\\s+", " ");
    }

    @Override
    public String toString() {
        return text;
    }
}
