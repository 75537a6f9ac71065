package dev.tiebreak.schema;

import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.internal.Query;
import dev.tiebreak.internal.StableHash;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * The library's own tables, for the races that need some: plain SQL in one schema.
 *
 * <p>Three ways to have them: {@link #install} at the start of the application; {@link #sql()} given to Flyway, Liquibase or
 * {@code psql}; or {@code tiebreak schema install} on the command line. {@link #validate} says whether they are as this
 * version of the library wants them. Your own tables are never touched.
 *
 * <p>The history goes forward only, in steps that add; an older library works on a newer schema. Immutable and thread-safe.
 */
public final class Schema {
    private static final String HISTORY = """
            CREATE SCHEMA IF NOT EXISTS {schema};
            CREATE TABLE IF NOT EXISTS {schema}.step (
                step integer PRIMARY KEY,
                name text NOT NULL,
                installed_at timestamptz NOT NULL DEFAULT clock_timestamp()
            );""";

    private final String name;

    private Schema(String name) {
        this.name = name;
    }

    /** The tables in the schema {@code tiebreak}, where every race looks for them. */
    public static Schema standard() {
        return new Schema("tiebreak");
    }

    /** The tables in a schema of another name, which has to be told to the races too, with {@code in(…)}. */
    public static Schema named(String name) {
        String unused = Table.quoted(name);
        return new Schema(name);
    }

    /** The schema's name. */
    public String name() {
        return name;
    }

    /** Everything, as SQL that may be run on an empty database, on an older schema, and again. */
    public String sql() {
        return sql(0);
    }

    /**
     * What comes after a step, as SQL: for a migration that follows an earlier one.
     *
     * @param after the number of the last step that is there; 0 for none
     * @throws IllegalArgumentException if there is no such step
     */
    public String sql(int after) {
        if (after < 0 || after > Step.ALL.size()) {
            throw new IllegalArgumentException("there is no step " + after + " of " + Step.ALL.size());
        }
        StringBuilder sql = new StringBuilder(after == 0 ? filled(HISTORY) + "\n" : "");
        for (int i = after; i < Step.ALL.size(); i++) {
            sql.append('\n').append(step(i + 1)).append('\n');
        }
        return sql.toString();
    }

    /**
     * Installs or upgrades the tables, in one transaction; does nothing where they are there already.
     *
     * <p>Processes that do it at the same time wait for each other (an advisory lock). Needs the right to create a schema, or
     * tables in the one that is there.
     *
     * @return the names of the steps that were taken, in order; empty if all were there
     * @throws dev.tiebreak.TxException what the database says: 42501 if the right is missing
     */
    public List<String> install(DataSource dataSource) {
        return Tx.on(dataSource).call(c -> {
            lock(c);
            run(c, filled(HISTORY));
            List<Integer> there = steps(c);
            List<String> taken = new ArrayList<>();
            for (int step = 1; step <= Step.ALL.size(); step++) {
                if (!there.contains(step)) {
                    run(c, step(step));
                    taken.add(Step.ALL.get(step - 1).name());
                }
            }
            return List.copyOf(taken);
        });
    }

    /** Compares what is there with what this version of the library wants; changes nothing. */
    public Check validate(DataSource dataSource) {
        return Tx.on(dataSource).readOnly().call(c -> {
            Map<String, String> there = columns(c);
            List<String> problems = new ArrayList<>();
            if (there.isEmpty()) {
                problems.add("there are no tables in schema \"" + name + "\"");
            } else {
                List<Integer> steps = there.containsKey("step.step") ? steps(c) : List.of();
                for (int step = 1; step <= Step.ALL.size(); step++) {
                    compare(step, steps.contains(step), there, problems);
                }
            }
            return problems.isEmpty() ? new Check.Valid() : new Check.Invalid(problems);
        });
    }

    private void compare(int number, boolean recorded, Map<String, String> there, List<String> problems) {
        Step step = Step.ALL.get(number - 1);
        if (!recorded) {
            problems.add("step " + number + " (" + step.name() + ") is not recorded in \"" + name + "\".step");
        }
        new TreeMap<>(step.columns()).forEach((column, type) -> {
            String found = there.get(column);
            if (found == null) {
                problems.add("column " + name + "." + column + " is missing; it should be " + type);
            } else if (!found.equals(type)) {
                problems.add("column " + name + "." + column + " is " + found + " and should be " + type);
            }
        });
    }

    private Map<String, String> columns(Connection c) throws SQLException {
        String sql = """
                SELECT t.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod)
                FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid JOIN pg_namespace n ON n.oid = t.relnamespace
                WHERE n.nspname = ? AND t.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped""";
        return Query.run(c, sql, binds -> binds.addObject(name), rows -> {
            Map<String, String> found = new TreeMap<>();
            while (rows.next()) {
                found.put(rows.getString(1), rows.getString(2));
            }
            return found;
        });
    }

    private List<Integer> steps(Connection c) throws SQLException {
        return Query.run(c, filled("SELECT step FROM {schema}.step ORDER BY step"), binds -> {}, rows -> {
            List<Integer> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getInt(1));
            }
            return found;
        });
    }

    private void lock(Connection c) throws SQLException {
        long number = StableHash.of("tiebreak.schema", List.of(name));
        run(c, "SELECT pg_advisory_xact_lock(" + number + ")");
    }

    private String step(int number) {
        Step step = Step.ALL.get(number - 1);
        return filled(step.sql()
                + "\nINSERT INTO {schema}.step (step, name) VALUES (" + number + ", '" + step.name()
                + "') ON CONFLICT DO NOTHING;");
    }

    private String filled(String sql) {
        return sql.replace("{schema}", Table.quoted(name));
    }

    private static void run(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    /** Such as {@code schema tiebreak}. */
    @Override
    public String toString() {
        return "schema " + name;
    }

    /** What {@link Schema#validate} found. */
    public sealed interface Check {
        /** Everything is as this version of the library wants it. */
        record Valid() implements Check {}

        /**
         * Something is not.
         *
         * @param problems a line each: which table or column, what it is and what it should be
         */
        record Invalid(List<String> problems) implements Check {
            /** Keeps a copy. */
            public Invalid {
                problems = List.copyOf(problems);
            }
        }
    }
}
