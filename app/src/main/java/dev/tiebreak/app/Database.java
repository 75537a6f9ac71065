package dev.tiebreak.app;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tiebreak.embedded.Server;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PreferQueryMode;

/**
 * The PostgreSQL a command runs on: an embedded one that ends with the command, or the user's own.
 *
 * <p>An ordinary role is enough. Closing it stops the embedded server and removes its folder; so does Ctrl-C.
 */
public final class Database implements AutoCloseable {
    /** The {@code application_name} of the connection that asks the server about itself. */
    public static final String ASKING = "tiebreak";

    private final ServerUrl url;
    private final @Nullable Server embedded;
    private final String version;
    private @Nullable Connection asking;

    private Database(ServerUrl url, @Nullable Server embedded) {
        this.url = url;
        this.embedded = embedded;
        this.version = scalar("SHOW server_version");
    }

    /** Starts an embedded server of that major version, 15 to 18, durable as a real one. */
    public static Database embedded(int major) {
        Server server;
        try {
            server = Server.start(major, Map.of("max_prepared_transactions", "10"));
        } catch (RuntimeException e) {
            throw new Complaint(
                    "the embedded PostgreSQL " + major + " did not start (" + rootMessage(e)
                            + "); free space in the temporary folder, or give the --url of a server",
                    e);
        }
        return new Database(ServerUrl.parse(server.newDatabase(), Map.of()), server);
    }

    /** The user's own server; it is asked for its version, so a wrong address or login is told at once. */
    public static Database at(String url, Map<String, String> env) {
        Database database = new Database(ServerUrl.parse(url, env), null);
        int major = Integer.parseInt(database.scalar("SHOW server_version_num")) / 10_000;
        if (major < Server.OLDEST) {
            throw new Complaint("PostgreSQL " + database.version + " at " + database.url.where()
                    + " is no longer supported; use " + Server.OLDEST + " or newer");
        }
        return database;
    }

    /** A URL as it may be printed: its password is masked. */
    public static String printable(String url) {
        return ServerUrl.masked(url);
    }

    /** Whether it is the embedded one. */
    public boolean isEmbedded() {
        return embedded != null;
    }

    /** Such as {@code PostgreSQL 18.4, embedded} or {@code PostgreSQL 16.2 at db:5432/shop}. */
    public String description() {
        return "PostgreSQL " + version.split(" ", 2)[0] + (isEmbedded() ? ", embedded" : " at " + url.where());
    }

    /** The JDBC URL with user and password, for code that opens its own connections; not to be printed. */
    public String url() {
        StringBuilder full = new StringBuilder(url.jdbc());
        append(full, "user", url.user());
        append(full, "password", url.password());
        return full.toString();
    }

    private static void append(StringBuilder full, String name, @Nullable String value) {
        if (value != null) {
            full.append(full.indexOf("?") < 0 ? '?' : '&')
                    .append(name)
                    .append('=')
                    .append(URLEncoder.encode(value, StandardCharsets.UTF_8));
        }
    }

    /** Connections without a pool, all under this {@code application_name}. */
    public PGSimpleDataSource source(String applicationName) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url.jdbc());
        if (url.user() != null) {
            source.setUser(url.user());
        }
        if (url.password() != null) {
            source.setPassword(url.password());
        }
        source.setApplicationName(applicationName);
        source.setConnectTimeout(10);
        return source;
    }

    /** Connections for the prover, which speaks to the server as psql does: one simple query after another. */
    public DataSource proving(String applicationName) {
        PGSimpleDataSource source = source(applicationName);
        source.setPreferQueryMode(PreferQueryMode.SIMPLE);
        source.setBinaryTransfer(false);
        return source;
    }

    /** A pool that is full from the start, so that nobody measures the opening of connections. */
    public HikariDataSource pool(String applicationName, int connections) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source(applicationName));
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(connections);
        config.setConnectionTimeout(60_000);
        config.setInitializationFailTimeout(10_000);
        return new HikariDataSource(config);
    }

    /** What {@code psql} and {@code pgbench} need to reach the same database. */
    public Map<String, String> libpq() {
        Map<String, String> env = new LinkedHashMap<>();
        env.put("PGHOST", url.host().replaceAll("[\\[\\]]", ""));
        env.put("PGPORT", url.port());
        env.put("PGDATABASE", url.database());
        env.put("PGUSER", scalar("SELECT current_user"));
        if (url.password() != null) {
            env.put("PGPASSWORD", url.password());
        }
        return env;
    }

    /** How many more connections this role may open, keeping three for others. */
    public int freeConnections() {
        return Integer.parseInt(scalar("""
                SELECT greatest(0, least(
                    current_setting('max_connections')::int
                        - current_setting('superuser_reserved_connections')::int
                        - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
                    CASE WHEN (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) < 0 THEN 1000000
                         ELSE (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user)
                              - (SELECT count(*) FROM pg_stat_activity WHERE usename = current_user) END,
                    CASE WHEN (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) < 0 THEN 1000000
                         ELSE (SELECT datconnlimit FROM pg_database WHERE datname = current_database())
                              - (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) END
                ) - 3)"""));
    }

    /** The settings that decide what a commit costs, by name, in this order. */
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String name : List.of("fsync", "synchronous_commit", "shared_buffers", "max_connections")) {
            settings.put(name, scalar("SHOW " + name));
        }
        return settings;
    }

    /** The first column of the only row, as text. */
    public String scalar(String sql) {
        try (Statement s = asking().createStatement();
                ResultSet row = s.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw Complaint.about(e);
        }
    }

    /** One connection for all questions: a server takes a moment to count one out that was closed, and roles have limits. */
    private Connection asking() throws SQLException {
        Connection open = asking;
        if (open == null || open.isClosed()) {
            open = source(ASKING).getConnection();
            asking = open;
        }
        return open;
    }

    @Override
    public void close() {
        try {
            if (asking != null) {
                asking.close();
            }
        } catch (SQLException e) {
            // It goes with the process.
        }
        if (embedded != null) {
            embedded.close();
        }
    }

    private static String rootMessage(Throwable t) {
        Throwable root = t;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }
}
