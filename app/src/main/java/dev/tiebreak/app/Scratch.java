package dev.tiebreak.app;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * A schema of a command's own on somebody's server: nothing else is touched, and it is dropped at the end, also on Ctrl-C.
 *
 * <p>All connections of the command carry the schema's name as their {@code application_name}. A schema of that kind whose
 * name no connection carries was left by a killed run; the next run of the same role drops it.
 */
public final class Scratch implements AutoCloseable {
    private static final String PREFIX = "tiebreak_run_";

    private final String schema;
    private final DataSource source;
    private final Connection holder;
    private final Thread onInterrupt = new Thread(this::dropOnInterrupt, "tiebreak-drop");

    private Scratch(String schema, DataSource source, Connection holder) {
        this.schema = schema;
        this.source = source;
        this.holder = holder;
    }

    /** Creates the schema, after removing what killed runs of this role left. */
    public static Scratch in(Database database) {
        String schema = PREFIX + UUID.randomUUID().toString().substring(0, 8);
        DataSource source = database.source(schema);
        try {
            Connection holder = source.getConnection();
            Scratch scratch = new Scratch(schema, source, holder);
            try {
                dropLeftovers(holder);
                create(holder, schema);
                Runtime.getRuntime().addShutdownHook(scratch.onInterrupt);
                return scratch;
            } catch (SQLException | RuntimeException e) {
                holder.close();
                throw e;
            }
        } catch (SQLException e) {
            throw Complaint.about(e);
        }
    }

    /** The schema's name, which needs no quotes; also the {@code application_name} to use. */
    public String schema() {
        return schema;
    }

    /** Runs statements that answer nothing, each in its own transaction. */
    public void run(String... statements) throws SQLException {
        try (Statement s = holder.createStatement()) {
            for (String sql : statements) {
                s.execute(sql);
            }
        }
    }

    /** A number that SQL answers. */
    public long number(String sql) throws SQLException {
        try (Statement s = holder.createStatement();
                ResultSet row = s.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Drops the schema and everything in it. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(onInterrupt);
        } catch (IllegalStateException e) {
            return; // the shutdown hook is at it
        }
        try (holder) {
            drop(holder, schema);
        } catch (SQLException e) {
            throw new Complaint(
                    "could not drop the schema " + schema + " again; drop it by hand (DROP SCHEMA " + schema
                            + " CASCADE)",
                    e);
        }
    }

    private static void create(Connection c, String schema) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute("CREATE SCHEMA " + schema);
        } catch (SQLException e) {
            if ("42501".equals(e.getSQLState())) {
                throw new Complaint(
                        "the role " + c.getMetaData().getUserName() + " may not create a schema in the database "
                                + c.getCatalog() + ", and tiebreak works in one of its own; GRANT CREATE ON DATABASE "
                                + c.getCatalog() + " TO " + c.getMetaData().getUserName() + ", or give another --url",
                        e);
            }
            throw e;
        }
    }

    private static void dropLeftovers(Connection c) throws SQLException {
        List<String> leftovers = new ArrayList<>();
        try (PreparedStatement s = c.prepareStatement("""
                SELECT nspname FROM pg_namespace n
                WHERE nspname ~ ? AND nspowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)
                  AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = n.nspname)""")) {
            s.setString(1, "^" + PREFIX + "[0-9a-f]{8}$");
            try (ResultSet row = s.executeQuery()) {
                while (row.next()) {
                    leftovers.add(row.getString(1));
                }
            }
        }
        for (String leftover : leftovers) {
            try {
                drop(c, leftover);
            } catch (SQLException e) {
                // Another run is dropping it at this moment, or will find it.
            }
        }
    }

    private static void drop(Connection c, String schema) throws SQLException {
        if (!c.getAutoCommit()) {
            c.rollback();
            c.setAutoCommit(true);
        }
        try (Statement s = c.createStatement()) {
            s.execute("SET lock_timeout = '10s'");
            s.execute("SET client_min_messages = warning");
            s.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
        }
    }

    private void dropOnInterrupt() {
        try (Connection c = source.getConnection();
                Statement s = c.createStatement()) {
            s.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '" + schema
                    + "' AND usename = current_user AND pid <> pg_backend_pid()");
            drop(c, schema);
        } catch (SQLException e) {
            // An embedded server may be gone already, and the schema with it; elsewhere the next run drops it.
        }
    }
}
