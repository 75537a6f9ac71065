package dev.tiebreak.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rows as a table for people and as JSON for machines. */
public final class Report {
    private static final String[] HEAD = {"case", "value", "unit", "min", "max"};

    private Report() {}

    /** Aligned columns under a head; a row that is not exact shows INEXACT where its value would be. */
    public static String table(List<Row> rows) {
        List<String[]> lines = new ArrayList<>();
        lines.add(HEAD);
        for (Row row : rows) {
            lines.add(
                    row.exact()
                            ? new String[] {
                                row.name(), figure(row.value()), row.unit(), figure(row.min()), figure(row.max())
                            }
                            : new String[] {row.name(), "INEXACT", row.unit(), "-", "-"});
        }
        int[] width = new int[HEAD.length];
        for (String[] line : lines) {
            for (int column = 0; column < width.length; column++) {
                width[column] = Math.max(width[column], line[column].length());
            }
        }
        StringBuilder table = new StringBuilder();
        for (String[] line : lines) {
            StringBuilder text = new StringBuilder();
            for (int column = 0; column < width.length; column++) {
                boolean words = column == 0 || column == 2;
                text.append(" ".repeat(words ? 0 : width[column] - line[column].length()))
                        .append(line[column])
                        .append(" ".repeat(words ? width[column] - line[column].length() : 0))
                        .append("  ");
            }
            table.append(text.toString().stripTrailing()).append('\n');
        }
        return table.toString();
    }

    /** {@code {"results":[{"case","value","unit","min","max","exact"}]}}, one row a line. */
    public static String json(List<Row> rows) {
        List<String> lines = new ArrayList<>();
        for (Row row : rows) {
            lines.add("  {\"case\":" + quoted(row.name()) + ",\"value\":" + number(row.value()) + ",\"unit\":"
                    + quoted(row.unit()) + ",\"min\":" + number(row.min()) + ",\"max\":" + number(row.max())
                    + ",\"exact\":" + row.exact() + "}");
        }
        return lines.isEmpty() ? "{\"results\":[]}\n" : "{\"results\":[\n" + String.join(",\n", lines) + "\n]}\n";
    }

    /** Three significant digits below 100, whole numbers with separators from there. */
    private static String figure(double value) {
        double size = Math.abs(value);
        String format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }

    /** JSON knows no NaN and no infinity. */
    private static String number(double value) {
        return Double.isFinite(value) ? Double.toString(value) : "null";
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
