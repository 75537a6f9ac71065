package dev.tiebreak.prove.engine;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * A schema that belongs to one proof: made at its start, dropped at its end, and held with an advisory lock in between, so
 * that the next proof can tell the leftovers of a killed one from a schema in use.
 */
final class Home implements AutoCloseable {
    private static final int NAMESPACE = 0x74696562;
    private static final String PREFIX = "tiebreak_run_";

    private final Connection control;
    private final String name;

    private Home(Connection control, String name) {
        this.control = control;
        this.name = name;
    }

    /** Makes the schema, after dropping those of proofs that are no more. */
    static Home open(Connection control) throws SQLException {
        dropLeftovers(control);
        try (Statement s = control.createStatement();
                ResultSet r =
                        s.executeQuery("SELECT pg_backend_pid() || '_' || to_char(clock_timestamp(), 'SSSSMS')")) {
            r.next();
            Home home = new Home(control, PREFIX + r.getString(1));
            home.hold();
            home.create();
            return home;
        }
    }

    String name() {
        return name;
    }

    /** Drops everything in the schema. */
    void empty() throws SQLException {
        drop();
        create();
    }

    private void hold() throws SQLException {
        run("SELECT pg_advisory_lock(" + NAMESPACE + ", hashtext('" + name + "'))");
    }

    private void create() throws SQLException {
        try {
            run("CREATE SCHEMA " + name + "; SET search_path = " + name + ", public");
        } catch (SQLException e) {
            if (!"42501".equals(e.getSQLState())) {
                throw e;
            }
            throw new RaceException(
                    "",
                    "",
                    "this role may not create a schema in the database \"" + control.getCatalog()
                            + "\": GRANT CREATE ON DATABASE to it, or choose another with --url",
                    e);
        }
    }

    private void drop() throws SQLException {
        run("SET client_min_messages = warning; DROP SCHEMA IF EXISTS " + name + " CASCADE; RESET client_min_messages");
    }

    private void run(String sql) throws SQLException {
        try (Statement s = control.createStatement()) {
            s.execute(sql);
        }
    }

    /** Drops the schemas of this role's proofs that are no more. */
    static void dropLeftovers(Connection control) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery("""
                        SELECT nspname FROM pg_namespace
                         WHERE nspname ~ '^tiebreak_run_[0-9]+_[0-9]+$' AND pg_has_role(nspowner, 'USAGE')""")) {
            while (r.next()) {
                names.add(r.getString(1));
            }
        }
        for (String name : names) {
            String key = "(" + NAMESPACE + ", hashtext('" + name + "'))";
            try (Statement s = control.createStatement()) {
                try (ResultSet r = s.executeQuery("SELECT pg_try_advisory_lock" + key)) {
                    if (!r.next() || !r.getBoolean(1)) {
                        continue;
                    }
                }
                s.execute("SET client_min_messages = warning; DROP SCHEMA IF EXISTS " + name
                        + " CASCADE; RESET client_min_messages");
                s.execute("SELECT pg_advisory_unlock" + key);
            }
        }
    }

    @Override
    public void close() throws SQLException {
        if (!control.isClosed()) {
            drop();
        }
    }
}
