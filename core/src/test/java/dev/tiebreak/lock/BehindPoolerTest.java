package dev.tiebreak.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.Tx;
import dev.tiebreak.embedded.Server;
import dev.tiebreak.testing.Db;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behind PgBouncer in transaction mode, where each transaction may run on another backend. */
class BehindPoolerTest {
    private static final String HELD = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted";

    private final String url = Server.shared(18).newDatabase();
    private final Db direct = Db.at(url);

    @TempDir
    private Path folder;

    private Process pooler;
    private Db pooled;

    @BeforeEach
    void start() throws Exception {
        Path program = program();
        URI server = URI.create(url.substring("jdbc:".length()));
        int port = freePort();
        Path settings = folder.resolve("pgbouncer.ini");
        Files.writeString(settings, """
                [databases]
                * = user=postgres host=127.0.0.1 port=%d
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = transaction
                default_pool_size = 2
                ignore_startup_parameters = extra_float_digits
                """.formatted(server.getPort(), port));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> command = new ArrayList<>(List.of(program.toString(), "-q"));
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("-u", "nobody")); // it refuses to run as root
        }
        command.add(settings.toString());
        pooler = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        pooled = Db.at("jdbc:postgresql://127.0.0.1:" + port + server.getPath()
                + "?user=postgres&password=x&prepareThreshold=0");
        awaitAnswer();
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (pooler != null) {
            pooler.destroy();
            assertThat(pooler.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    /**
     * Where it is. Where it is not, these tests are skipped, and say so on the console and in the report; but not where
     * {@code TIEBREAK_POOLER=required}, as {@code .ci/run} says: a race that nobody ran must not look like one that was settled.
     */
    private static Path program() {
        for (String folder : (System.getenv("PATH") + File.pathSeparator + "/usr/sbin").split(File.pathSeparator, -1)) {
            Path program = Path.of(folder, "pgbouncer");
            if (Files.isExecutable(program)) {
                return program;
            }
        }
        String missing =
                "pgbouncer, behind which BehindPoolerTest runs, is not on the PATH (Debian: apt-get install pgbouncer)";
        assertThat(System.getenv("TIEBREAK_POOLER")).as(missing).isNotEqualTo("required");
        System.err.println("SKIPPED: " + missing);
        return Assumptions.abort(missing);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @SuppressWarnings("ThreadSleep")
    private void awaitAnswer() throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (true) {
            try {
                assertThat(pooled.number("SELECT 1")).isEqualTo(1);
                return;
            } catch (SQLException e) {
                if (System.nanoTime() > end || !pooler.isAlive()) {
                    throw new AssertionError(
                            "the pooler does not answer: " + Files.readString(folder.resolve("log")), e);
                }
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
    }

    @Test
    void sessionLock_unlockLandsOnAnotherBackend_isStranded() throws Exception {
        try (Connection ana = pooled.source().getConnection();
                Connection ben = pooled.begin()) {
            Db.run(ana, "SELECT pg_advisory_lock(1)");
            long locked = direct.number("SELECT pid FROM pg_locks WHERE locktype = 'advisory'");
            assertThat(Db.number(ben, "SELECT pg_backend_pid()"))
                    .as("Ben is given Ana's backend")
                    .isEqualTo(locked);

            assertThat(Db.number(ana, "SELECT pg_advisory_unlock(1)::int")).isZero();
            ben.rollback();
            assertThat(direct.number(HELD)).as("the broken variant").isEqualTo(1);
        }
    }

    @Test
    void hold_behindThePooler_excludesAndLeavesNothingBehind() throws Exception {
        AdvisoryLock rooms = AdvisoryLock.of("rooms");
        try (Connection ana = pooled.begin();
                Connection ben = pooled.begin()) {
            rooms.hold(ana, "7").orRollback();
            assertThat((Object) rooms.tryHold(ben, "7")).isInstanceOf(AdvisoryLock.Hold.Busy.class);
            assertThat((Object) rooms.waiting(Duration.ofMillis(20)).hold(ben, "7"))
                    .isInstanceOf(AdvisoryLock.Hold.Busy.class);
            ben.rollback();
            ana.commit();
            assertThat(direct.number(HELD)).isZero();
            rooms.hold(ben, "7").orRollback();
            ben.commit();
        }
        Tx.on(pooled.source()).run(c -> rooms.hold(c, "7", "8").orRollback());
        assertThat(direct.number(HELD)).isZero();
    }
}
