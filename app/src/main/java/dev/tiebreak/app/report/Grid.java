package dev.tiebreak.app.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A table as aligned text: the first column to the left, the others to the right unless told otherwise. */
public final class Grid {
    private static final String GAP = "  ";

    private final List<String> header;
    private final boolean[] left;
    private final List<List<String>> rows = new ArrayList<>();

    private Grid(List<String> header) {
        this.header = header;
        this.left = new boolean[header.size()];
        left[0] = true;
    }

    /** A table with these column heads. */
    public static Grid of(String... header) {
        return new Grid(List.of(header));
    }

    /** Aligns the columns of these numbers, counted from 0, to the left. */
    public Grid left(int... columns) {
        for (int column : columns) {
            left[column] = true;
        }
        return this;
    }

    /** A table of so many columns without heads. */
    public static Grid headless(int columns) {
        return new Grid(Collections.nCopies(columns, ""));
    }

    /** Adds a row with one text a column. */
    public void row(String... cells) {
        if (cells.length != header.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + header.size() + " columns");
        }
        rows.add(List.of(cells));
    }

    /** The lines of the table, each ended by a line feed, no blanks at their ends. */
    public String text() {
        int[] widths = new int[header.size()];
        List<List<String>> all = new ArrayList<>();
        if (!header.stream().allMatch(String::isEmpty)) {
            all.add(header);
        }
        all.addAll(rows);
        for (List<String> row : all) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (List<String> row : all) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String blanks = " ".repeat(widths[i] - row.get(i).length());
                line.append(i == 0 ? "" : GAP).append(left[i] ? row.get(i) + blanks : blanks + row.get(i));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
