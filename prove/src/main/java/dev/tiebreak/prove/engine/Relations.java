package dev.tiebreak.prove.engine;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The tables and sequences of the database that a race's setup made, told apart from those that were there before. */
final class Relations {
    private final Connection control;
    private final Set<Long> before;

    /** To be made before the setup: what is there now is none of the race's. */
    Relations(Connection control) throws SQLException {
        this.control = control;
        this.before = everything(control);
    }

    /** The tables that the setup made, those that others refer to first. */
    List<String> tables() throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery("""
                        WITH RECURSIVE t AS (
                          SELECT c.oid, 0 AS depth FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                           WHERE c.relkind = 'r' AND n.nspname !~ '^(pg_|information_schema$)'
                             AND (n.nspname !~ '^tiebreak_run_' OR n.nspname = current_schema())
                          UNION
                          SELECT f.conrelid, t.depth + 1 FROM t JOIN pg_constraint f ON f.confrelid = t.oid
                           WHERE f.contype = 'f' AND f.conrelid <> f.confrelid AND t.depth < 20)
                        SELECT oid, format('%I.%I', relnamespace::regnamespace::text, relname)
                          FROM (SELECT oid, max(depth) AS depth FROM t GROUP BY oid) d JOIN pg_class USING (oid)
                         ORDER BY depth, oid""")) {
            while (r.next()) {
                if (!before.contains(r.getLong(1))) {
                    names.add(r.getString(2));
                }
            }
        }
        return names;
    }

    /** The sequences that the setup made. */
    List<String> sequences() throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery("""
                        SELECT oid, format('%I.%I', relnamespace::regnamespace::text, relname) FROM pg_class
                         WHERE relkind = 'S'
                           AND (relnamespace::regnamespace::text !~ '^tiebreak_run_'
                             OR relnamespace::regnamespace::text = current_schema())
                         ORDER BY oid""")) {
            while (r.next()) {
                if (!before.contains(r.getLong(1))) {
                    names.add(r.getString(2));
                }
            }
        }
        return names;
    }

    /** The tables that the setup made, and after them those that were there. */
    List<String> everyTable(List<String> tables) throws SQLException {
        List<String> all = new ArrayList<>(tables);
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery("""
                        SELECT oid, format('%I.%I', relnamespace::regnamespace::text, relname) FROM pg_class
                         WHERE relkind = 'r'
                           AND relnamespace::regnamespace::text !~ '^(pg_|information_schema$|tiebreak_run_)'
                         ORDER BY oid""")) {
            while (r.next()) {
                if (before.contains(r.getLong(1))) {
                    all.add(r.getString(2));
                }
            }
        }
        return all;
    }

    /** Whether the rows of these tables can be put back, without setting up anew. */
    boolean canRestore(List<String> tables, String schema) throws SQLException {
        if (tables.isEmpty()) {
            return false;
        }
        boolean replica = Catalog.maySet(control, "session_replication_role", "replica");
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery("SELECT " + replica
                        + " OR NOT EXISTS (SELECT FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
                        + " WHERE NOT t.tgisinternal AND c.relnamespace = '" + schema + "'::regnamespace),"
                        + " NOT EXISTS (SELECT FROM pg_class WHERE relkind IN ('m', 'f') AND relnamespace = '"
                        + schema + "'::regnamespace)")) {
            r.next();
            return r.getBoolean(1) && r.getBoolean(2);
        }
    }

    /** What changes when a step changes tables of the schema; to be compared. */
    String shape(String schema) throws SQLException {
        try (Statement s = control.createStatement();
                ResultSet r =
                        s.executeQuery("SELECT string_agg(oid || ' ' || relnatts || ' ' || relchecks, ',' ORDER BY oid)"
                                + " FROM pg_class WHERE relnamespace = '" + schema + "'::regnamespace")) {
            r.next();
            return String.valueOf(r.getString(1));
        }
    }

    private static Set<Long> everything(Connection control) throws SQLException {
        Set<Long> all = new HashSet<>();
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery("SELECT oid FROM pg_class WHERE relkind IN ('r', 'S', 'p', 'v')")) {
            while (r.next()) {
                all.add(r.getLong(1));
            }
        }
        return all;
    }
}
