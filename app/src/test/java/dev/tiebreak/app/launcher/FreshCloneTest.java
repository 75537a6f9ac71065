package dev.tiebreak.app.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.embedded.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a newcomer does: clone, and type a command, on a machine whose {@code java} is 17. */
@Timeout(300)
@Order(1) // the longest: the others run beside it
class FreshCloneTest {
    @TempDir
    private static Path folder;

    private static Path clone;
    private static Map<String, String> env;
    private static Launch first;

    @BeforeAll
    static void cloneAndSell() throws IOException, InterruptedException {
        clone = Launch.clone(folder);
        Path old = Launch.fakeJdk(folder.resolve("jdk-17"), 17);
        Path temporary = Files.createDirectories(folder.resolve("temporary"));
        env = Map.of(
                "PATH", old.resolve("bin") + ":" + System.getenv("PATH"),
                "TIEBREAK_JAVA_OPTS", "-Djava.io.tmpdir=" + temporary);
        first = Launch.start(clone, env, "sale", "--buyers", "40", "--units", "7", "--strategies", "conditional,units");
        first.exitCode();
    }

    @Test
    void sale_freshClone_buildsSellsExactlyAndLeavesNoTemporaryFile() throws Exception {
        assertThat(first.out()).startsWith("EXACT  2 of 2 cures sold 7 of 7").contains("PostgreSQL 18", "embedded");
        assertThat(first.err()).isEqualTo("tiebreak: building the runnable jar (without tests and checks) …\n");
        assertThat(first.exitCode()).isZero();
        assertThat(temporary()).isEmpty();
    }

    @Test
    void interrupt_embeddedServerRunning_folderIsRemoved() throws Exception {
        Launch bench = Launch.start(clone, env, "bench", "--pgbench", "none", "--seconds", "60");
        bench.await("a server's folder", () -> temporary().stream().anyMatch(name -> name.startsWith("epg")));
        bench.interrupt();

        assertThat(bench.exitCode()).isEqualTo(130);
        assertThat(temporary()).isEmpty();
        assertThat(bench.err()).isEmpty();
    }

    @Test
    void interrupt_serverOfAUser_schemaIsDropped() throws Exception {
        String url = Server.shared(18).newDatabase();
        Launch bench = Launch.start(clone, env, "bench", "--pgbench", "none", "--seconds", "60", "--url", url);
        bench.await(
                "rows to take from",
                () -> number(url, """
                SELECT coalesce(sum(n_tup_upd), 0) FROM pg_stat_user_tables WHERE schemaname LIKE 'tiebreak_run_%'""") > 0
                        || number(
                                        url,
                                        "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'tiebreak_run_%'")
                                > 20);
        bench.interrupt();

        assertThat(bench.exitCode()).isEqualTo(130);
        assertThat(number(url, "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'tiebreak_run_%'"))
                .isZero();
        assertThat(bench.err()).isEmpty();
    }

    @Test
    void interrupt_proofOnAServerOfAUser_schemaIsDroppedWhetherItCanEndByItselfOrNot() throws Exception {
        String url = Server.shared(18).newDatabase();
        Launch busy = prove(url, "busy", "UPDATE t SET n = n + 1;");
        Launch stuck = prove(url, "stuck", "SELECT pg_sleep(600);");
        busy.await("runs", () -> number(url, "SELECT coalesce(sum(n_tup_upd), 0) FROM pg_stat_user_tables") > 100);
        stuck.await(
                "a step that does not return",
                () -> number(url, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") > 0);
        assertThat(number(url, "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'tiebreak_run_%'"))
                .isEqualTo(2);
        busy.interrupt();
        stuck.interrupt();

        assertThat(busy.exitCode()).isEqualTo(130);
        assertThat(stuck.exitCode()).isEqualTo(130);
        assertThat(number(url, "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'tiebreak_run_%'"))
                .isZero();
        assertThat(busy.err() + stuck.err() + busy.out() + stuck.out()).isEmpty();
    }

    /** Proves a race that takes for ever. */
    private static Launch prove(String url, String name, String step) throws IOException {
        StringBuilder spec = new StringBuilder("setup { CREATE TABLE t (n int); INSERT INTO t VALUES (0); }\n");
        for (int session = 1; session <= 3; session++) {
            spec.append("session s").append(session).append('\n');
            for (int i = 1; i <= 6; i++) {
                spec.append("step s%d_%d { %s }%n".formatted(session, i, step));
            }
        }
        Path file = Files.writeString(folder.resolve(name + ".spec"), spec);
        return Launch.start(clone, env, "prove", file.toString(), "--url", url);
    }

    private static long number(String url, String sql) {
        try (Connection c = Server.dataSource(url).getConnection();
                Statement s = c.createStatement();
                ResultSet row = s.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> temporary() {
        try (Stream<Path> files = Files.list(folder.resolve("temporary"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith("hsperfdata"))
                    .toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
