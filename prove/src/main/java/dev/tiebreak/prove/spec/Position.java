package dev.tiebreak.prove.spec;

/**
 * A place in a spec file, printed as {@code oversell.spec:12}.
 *
 * @param file the file as the user named it
 * @param line counted from 1
 */
public record Position(String file, int line) {
    @Override
    public String toString() {
        return file + ":" + line;
    }
}
