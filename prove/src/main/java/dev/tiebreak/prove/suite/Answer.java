package dev.tiebreak.prove.suite;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * What the statements of one step answered, in the layout of libpq's {@code PQprint}: columns padded to their widest
 * value, those that hold nothing but numbers to the right.
 *
 * @param tables the printed result sets
 * @param lastIsTable whether the last statement answered with rows
 * @param error what ended the step early
 */
record Answer(List<String> tables, boolean lastIsTable, Optional<SQLException> error) {
    private static final Pattern NUMBER = Pattern.compile("(?![Ee])[0-9.Ee -]*[0-9]");
    private static final Pattern ISO_DATE = Pattern.compile("([0-9]{4,})-([0-9]{2})-([0-9]{2})");

    /** Runs a step's SQL and reads all that comes of it. */
    static Answer of(Statement statement, String sql) {
        List<String> tables = new ArrayList<>();
        boolean lastIsTable = false;
        try {
            boolean rows = statement.execute(sql);
            while (rows || statement.getUpdateCount() >= 0) {
                lastIsTable = rows;
                if (rows) {
                    try (ResultSet results = statement.getResultSet()) {
                        tables.add(table(results));
                    }
                }
                rows = statement.getMoreResults();
            }
            return new Answer(tables, lastIsTable, Optional.empty());
        } catch (SQLException e) {
            return new Answer(tables, lastIsTable, Optional.of(e));
        }
    }

    /** The error as the tester prints it, or nothing. */
    String errorText() {
        return error.map(Answer::text).orElse("");
    }

    private static String text(SQLException e) {
        ServerErrorMessage server = e instanceof PSQLException p ? p.getServerErrorMessage() : null;
        if (server == null) {
            return e.getMessage() + "\n";
        }
        String line = server.getSeverity() + ":  " + server.getMessage() + "\n";
        // A session that the server ended: libpq adds its own words to those of the server.
        return "FATAL".equals(server.getSeverity()) ? line + """
                        server closed the connection unexpectedly
                        \tThis probably means the server terminated abnormally
                        \tbefore or while processing the request.

                        """ : line;
    }

    private static String table(ResultSet results) throws SQLException {
        ResultSetMetaData meta = results.getMetaData();
        int columns = meta.getColumnCount();
        List<String[]> rows = new ArrayList<>();
        String[] names = new String[columns];
        for (int i = 0; i < columns; i++) {
            names[i] = meta.getColumnLabel(i + 1);
        }
        while (results.next()) {
            String[] row = new String[columns];
            for (int i = 0; i < columns; i++) {
                String value = results.getString(i + 1);
                row[i] = value == null ? "" : ISO_DATE.matcher(value).matches() ? date(value, meta, i) : value;
            }
            rows.add(row);
        }
        return print(names, rows);
    }

    /**
     * The driver insists on ISO dates; the expected files are written with {@code DateStyle} "Postgres, MDY". The type is
     * asked for only where a value looks like a date: of a type that the driver does not know it would query the catalog,
     * and specs that watch their neighbours' queries would see it.
     */
    private static String date(String value, ResultSetMetaData meta, int column) throws SQLException {
        return meta.getColumnTypeName(column + 1).equals("date")
                ? ISO_DATE.matcher(value).replaceFirst("$2-$3-$1")
                : value;
    }

    private static String print(String[] names, List<String[]> rows) {
        int[] widths = new int[names.length];
        boolean[] left = new boolean[names.length];
        for (int i = 0; i < names.length; i++) {
            widths[i] = bytes(names[i]);
            for (String[] row : rows) {
                widths[i] = Math.max(widths[i], bytes(row[i]));
                left[i] |= !row[i].isEmpty() && !NUMBER.matcher(row[i]).matches();
            }
        }
        StringBuilder out = new StringBuilder();
        line(out, names, widths, left);
        for (int i = 0; i < widths.length; i++) {
            out.append(i == 0 ? "" : "+").append("-".repeat(widths[i]));
        }
        out.append('\n');
        rows.forEach(row -> line(out, row, widths, left));
        return out.append('(')
                .append(rows.size())
                .append(rows.size() == 1 ? " row)\n\n" : " rows)\n\n")
                .toString();
    }

    private static void line(StringBuilder out, String[] values, int[] widths, boolean[] left) {
        for (int i = 0; i < values.length; i++) {
            String pad = " ".repeat(widths[i] - bytes(values[i]));
            out.append(i == 0 ? "" : "|").append(left[i] ? values[i] + pad : pad + values[i]);
        }
        out.append('\n');
    }

    private static int bytes(String value) {
        return value.getBytes(StandardCharsets.UTF_8).length;
    }
}
