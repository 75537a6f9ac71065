package dev.tiebreak.prove.engine;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the final state: the rows of some tables in one query, or the answer of the user's own. */
final class StateReader {
    /** Above so many rows a table is not compared row by row. */
    static final int MOST_ROWS = 10_000;

    private final List<String> names = new ArrayList<>();
    private final List<List<String>> columns = new ArrayList<>();
    private final String sql;
    private final boolean own;

    private StateReader(String sql, boolean own) {
        this.sql = sql;
        this.own = own;
    }

    /** Reads the answer of a query. */
    static StateReader query(String sql) {
        return new StateReader(sql, true);
    }

    /** Reads all rows of these tables, whose names are qualified and quoted. */
    static StateReader tables(Connection control, List<String> relations) throws SQLException {
        List<String> parts = new ArrayList<>();
        List<List<String>> columns = new ArrayList<>();
        for (String relation : relations) {
            List<String> names = new ArrayList<>();
            List<String> texts = new ArrayList<>();
            try (Statement s = control.createStatement();
                    ResultSet r = s.executeQuery(
                            "SELECT attname, quote_ident(attname) FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped"
                                    + " AND attrelid = '" + relation.replace("'", "''")
                                    + "'::regclass ORDER BY attnum")) {
                while (r.next()) {
                    names.add(r.getString(1));
                    texts.add("t." + r.getString(2) + "::text");
                }
            }
            String row = texts.isEmpty() ? "'{}'::text[]" : "ARRAY[" + String.join(", ", texts) + "]";
            parts.add(
                    "(SELECT " + parts.size() + ", " + row + " FROM " + relation + " t LIMIT " + (MOST_ROWS + 1) + ")");
            columns.add(names);
        }
        StateReader reader = new StateReader(String.join(" UNION ALL ", parts), false);
        reader.names.addAll(relations);
        reader.columns.addAll(columns);
        return reader;
    }

    /** The rows as they are now. */
    State read(Connection control) throws SQLException {
        if (sql.isEmpty()) {
            return State.NONE;
        }
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery(sql)) {
            if (own) {
                List<List<Words.Word>> statements = Words.statements(sql);
                boolean ordered = !statements.isEmpty() && Words.ordered(statements.get(0));
                return new State(Map.of("state", Link.rows(r, ordered)));
            }
            return tables(r);
        }
    }

    private State tables(ResultSet r) throws SQLException {
        List<List<List<@Nullable String>>> rows = new ArrayList<>();
        names.forEach(name -> rows.add(new ArrayList<>()));
        while (r.next()) {
            List<@Nullable String> row = new ArrayList<>();
            for (Object value : (Object[]) r.getArray(2).getArray()) {
                row.add((String) value);
            }
            rows.get(r.getInt(1)).add(row);
        }
        Map<String, Answer.Rows> tables = new HashMap<>();
        for (int i = 0; i < names.size(); i++) {
            if (rows.get(i).size() > MOST_ROWS) {
                throw new RaceException("table " + plain(names.get(i)) + " has more than " + MOST_ROWS
                        + " rows: say which to compare with #@ state { SELECT … }");
            }
            tables.put(plain(names.get(i)), new Answer.Rows(columns.get(i), rows.get(i), false));
        }
        return new State(tables);
    }

    /** The table's name without the schema of the proof. */
    private static String plain(String relation) {
        return relation.startsWith("tiebreak_run_") ? relation.substring(relation.indexOf('.') + 1) : relation;
    }
}
