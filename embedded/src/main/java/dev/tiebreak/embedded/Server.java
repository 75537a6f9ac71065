package dev.tiebreak.embedded;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL server of one of the supported major versions, started in a temporary folder and removed with it.
 *
 * <p>The server is durable unless told otherwise ({@code fsync=on}, {@code synchronous_commit=on}): what is measured on
 * it is measured as a real server would be. It takes about three seconds to start. Thread-safe.
 */
public final class Server implements AutoCloseable {
    /** The newest supported major version, and the default. */
    public static final int NEWEST = 18;

    /** The oldest supported major version. */
    public static final int OLDEST = 15;

    /** System property: the folder that keeps the unpacked binaries; by default one in {@code java.io.tmpdir}. */
    public static final String BINARIES = "tiebreak.postgres.binaries";

    private static final ConcurrentHashMap<Integer, Server> SHARED = new ConcurrentHashMap<>();

    private final int major;
    private final EmbeddedPostgres postgres;
    private final AtomicInteger databases = new AtomicInteger();

    private Server(int major, EmbeddedPostgres postgres) {
        this.major = major;
        this.postgres = postgres;
    }

    /** Starts a durable server of the given major version (15 to 18). */
    public static Server start(int major) {
        return start(major, Map.of());
    }

    /**
     * Starts a server of the given major version with settings of {@code postgresql.conf} on top of the defaults.
     *
     * @throws IllegalArgumentException if the version is not one of 15, 16, 17, 18
     * @throws UncheckedIOException if the server could not be unpacked or started
     */
    public static Server start(int major, Map<String, String> settings) {
        if (major < OLDEST || major > NEWEST) {
            throw new IllegalArgumentException(
                    "PostgreSQL " + major + " is not embedded; choose " + OLDEST + " to " + NEWEST);
        }
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setOverrideWorkingDirectory(binariesFolder())
                .setPgBinaryResolver((system, machine) -> binaries(major))
                .setServerConfig("max_connections", "200")
                .setServerConfig("shared_buffers", "256MB")
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setOutputRedirector(ProcessBuilder.Redirect.DISCARD)
                .setErrorRedirector(ProcessBuilder.Redirect.DISCARD);
        settings.forEach(builder::setServerConfig);
        try (Starting starting = new Starting()) {
            return new Server(major, builder.setDataDirectory(starting.folder()).start());
        } catch (IOException e) {
            throw new UncheckedIOException("could not start the embedded PostgreSQL " + major, e);
        }
    }

    /**
     * The server of this version that all tests of a JVM share; it is not durable ({@code fsync=off}) and ends with the
     * JVM.
     */
    public static Server shared(int major) {
        return SHARED.computeIfAbsent(major, m -> start(m, Map.of("fsync", "off", "max_prepared_transactions", "10")));
    }

    /** The major version, 15 to 18. */
    public int major() {
        return major;
    }

    /** The JDBC URL of the maintenance database, with the superuser's name. */
    public String url() {
        return url("postgres");
    }

    /** Creates an empty database and returns its JDBC URL, with the superuser's name. */
    public String newDatabase() {
        String name = "tiebreak_" + databases.incrementAndGet();
        try (Connection c = postgres.getPostgresDatabase().getConnection();
                Statement s = c.createStatement()) {
            s.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException("could not create the database " + name, e);
        }
        return url(name);
    }

    /** A plain, unpooled source of connections to a database made by {@link #newDatabase()}. */
    public static DataSource dataSource(String url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        return source;
    }

    /** Stops the server and removes its folder. */
    @Override
    public void close() {
        try {
            postgres.close();
        } catch (IOException e) {
            throw new UncheckedIOException("could not stop the embedded PostgreSQL " + major, e);
        }
    }

    private String url(String database) {
        return postgres.getJdbcUrl("postgres", database);
    }

    /** Where the binaries are unpacked once; the data of a server lies in a temporary folder of its own. */
    private static File binariesFolder() {
        String folder = System.getProperty(BINARIES);
        return folder == null ? new File(System.getProperty("java.io.tmpdir"), "tiebreak-postgres") : new File(folder);
    }

    private static InputStream binaries(int major) {
        for (String file : new String[] {"linux-x86_64", "linux-arm_64", "darwin-arm_64", "darwin-x86_64"}) {
            InputStream in = Server.class.getResourceAsStream("/postgres/" + major + "/postgres-" + file + ".txz");
            if (in != null) {
                return in;
            }
        }
        throw new IllegalStateException("no binaries of PostgreSQL " + major + " on the class path: build again");
    }
}
