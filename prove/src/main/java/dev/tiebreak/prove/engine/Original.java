package dev.tiebreak.prove.engine;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/*
 * Making and dropping two tables costs more than a whole run, so the rows are put back instead: from a copy, and only
 * into tables that have changed. A table has changed if it has another number of rows, or a row that was not written by
 * the transaction that put it back (xmin). Putting back by DELETE and INSERT leaves dead rows behind; before they fill a
 * page (then rows would come back in another order, and plans could change) all tables are emptied with TRUNCATE, which
 * also leaves the statistics as they are for a new table.
 */
/** The rows and sequences as the setup left them, and the way back to them. */
final class Original implements AutoCloseable {
    /** Rows that may be put back before a table is emptied for good. */
    private static final int ROWS_PER_PAGE = 120;

    private final Statement restore;
    private final String home;
    private Long @Nullable [] writtenBy;
    private long putBack;
    private final long rows;

    /**
     * A table with its copy.
     *
     * @param name qualified and quoted
     * @param copy qualified and quoted
     * @param columns those that can be written, comma-separated
     */
    private record Kept(String name, String copy, String columns) {}

    private Original(Connection control, String home, long rows) throws SQLException {
        this.home = home;
        this.restore = control.createStatement();
        this.rows = rows;
    }

    /**
     * Copies the tables.
     *
     * @param home where the copies go
     * @param relations qualified and quoted names of the tables, those that others refer to first
     * @param sequences qualified and quoted names
     */
    static Original keep(Connection control, String home, List<String> relations, List<String> sequences)
            throws SQLException {
        List<Kept> tables = new ArrayList<>();
        long rows = 0;
        try (Statement s = control.createStatement()) {
            for (String relation : relations) {
                String copy = home + ".tiebreak_copy_" + tables.size();
                s.execute("CREATE TABLE " + copy + " AS TABLE ONLY " + relation);
                try (ResultSet r = s.executeQuery("SELECT count(*) FROM " + copy)) {
                    r.next();
                    rows += r.getLong(1);
                }
                tables.add(new Kept(relation, copy, columns(s, relation)));
                s.execute("ALTER TABLE " + relation + " SET (autovacuum_enabled = off)");
            }
            s.execute(function(home, control, tables, sequences));
        }
        return new Original(control, home, rows);
    }

    /** Puts everything back. */
    void restore() throws SQLException {
        boolean empty = writtenBy == null || putBack + rows > ROWS_PER_PAGE;
        putBack = empty ? rows : putBack + rows;
        String known = Arrays.stream(writtenBy == null ? new Long[0] : writtenBy)
                .map(String::valueOf)
                .collect(Collectors.joining(",", "'{", "}'"));
        try (ResultSet r = restore.executeQuery("SELECT " + home + ".tiebreak_restore(" + empty + ", " + known + ")")) {
            r.next();
            writtenBy = (Long[]) r.getArray(1).getArray();
        }
    }

    @Override
    public void close() throws SQLException {
        restore.close();
    }

    private static String columns(Statement s, String relation) throws SQLException {
        List<String> columns = new ArrayList<>();
        try (ResultSet r = s.executeQuery("SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = '"
                + relation.replace("'", "''")
                + "'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum")) {
            while (r.next()) {
                columns.add(r.getString(1));
            }
        }
        return String.join(", ", columns);
    }

    private static String function(String home, Connection control, List<Kept> tables, List<String> sequences)
            throws SQLException {
        StringBuilder body = new StringBuilder();
        if (!tables.isEmpty()) {
            String all = tables.stream().map(Kept::name).collect(Collectors.joining(", "));
            body.append("IF empty THEN TRUNCATE ONLY " + all + "; END IF;\n");
        }
        for (int i = 0; i < tables.size(); i++) {
            body.append("""
                    IF empty THEN
                      dirty[%1$d] := true;
                    ELSE
                      SELECT count(*) <> (SELECT count(*) FROM %3$s)
                             OR count(*) FILTER (WHERE xmin::text::bigint <> known[%1$d]) > 0
                        INTO changed FROM ONLY %2$s;
                      dirty[%1$d] := changed;
                    END IF;
                    """.formatted(i + 1, tables.get(i).name(), tables.get(i).copy()));
        }
        for (int i = tables.size() - 1; i >= 0; i--) {
            body.append("IF NOT empty AND dirty[%d] THEN DELETE FROM ONLY %s; END IF;\n"
                    .formatted(i + 1, tables.get(i).name()));
        }
        for (int i = 0; i < tables.size(); i++) {
            Kept t = tables.get(i);
            String insert = t.columns().isEmpty()
                    ? ""
                    : "INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s;"
                            .formatted(t.name(), t.columns(), t.columns(), t.copy());
            body.append("IF dirty[%d] THEN %s known[%d] := pg_current_xact_id()::text::bigint & 4294967295; END IF;\n"
                    .formatted(i + 1, insert, i + 1));
        }
        for (String sequence : sequences) {
            body.append(sequence(control, sequence));
        }
        return "CREATE FUNCTION " + home + ".tiebreak_restore(empty boolean, known bigint[]) RETURNS bigint[]"
                + " LANGUAGE plpgsql AS $tiebreak$ DECLARE dirty boolean[]; changed boolean; BEGIN\n" + body
                + "RETURN known; END $tiebreak$";
    }

    private static String sequence(Connection control, String sequence) throws SQLException {
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery("SELECT last_value, is_called FROM " + sequence)) {
            r.next();
            String value = r.getString(1) + ", " + (r.getBoolean(2) ? "true" : "false");
            return "IF (SELECT (last_value, is_called) <> (" + value + ") FROM " + sequence + ") THEN PERFORM setval('"
                    + sequence.replace("'", "''") + "', " + value + "); END IF;\n";
        }
    }
}
