package dev.tiebreak.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.embedded.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code prove} says when something is wrong: one line, where and what to do, and nothing is left behind. */
class ProveProblemsTest {
    private static String url;

    @TempDir
    private Path folder;

    @BeforeAll
    static void database() {
        url = Server.shared(18).newDatabase();
    }

    @AfterEach
    void nothingIsLeft() throws SQLException {
        assertThat(Schemas.in(url)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "permutation a nothing | 5: ",
                "#@ ignore-result nothing | 5: ",
                "#@ errors allow 40001 for nobody | 5: ",
                "#@ invariants \"x\" { SELECT true } | 5: ",
                "#@ invariant \"x\" { SELEC true } | 5: ",
                "#@ invariant \"x\" { SELECT 7 } | 5: ",
                "setup { CREATE TABLE t (); } | 5: expected step, teardown, session, permutation",
                "session s3 | session s3 has no steps",
            })
    void file_wrong_namesFileAndLine(String line, String expected) throws IOException {
        Path file = spec(ProveCommandTest.TWO_READERS + line + "\n");

        assertRefused(prove(file), file + ":", expected);
    }

    @Test
    void setup_sqlError_namesItsLine() throws IOException {
        Path file =
                spec("setup\n{\n  SELECT 1;\n  INSERT INTO nowhere VALUES (1);\n}\n" + ProveCommandTest.TWO_READERS);

        assertRefused(prove(file), file + ":4: setup: relation \"nowhere\" does not exist (42P01)");
    }

    @Test
    void step_endsItsConnection_isReportedAtItsLine() throws IOException {
        Path file = spec(ProveCommandTest.TWO_READERS
                + "session s3\nstep c { SELECT pg_terminate_backend(pg_backend_pid()); }\n");

        assertRefused(prove(file), file + ":6: ", "connection");
    }

    @Test
    void paths_thatNameNothing_areSaidBeforeAServerStarts() throws IOException {
        assertRefused(Run.tiebreak("prove", "no-such.spec"), "there is no no-such.spec; correct the path");
        assertRefused(Run.tiebreak("prove", folder.toString()), folder + " holds no *.spec file");
        assertRefused(Run.tiebreak("prove"), "nothing to prove; name a spec file");
        assertRefused(
                Run.tiebreak("prove", folder.toString(), "--replay", "x"),
                "--replay runs one record and takes no file");
        assertRefused(Run.tiebreak("prove", "--replay", "no-such.replay"), "no-such.replay: no such file");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--budget 60 | --budget is a time from 1ms to 24h, such as 500ms, 60s or 5m, not \"60\"",
                "--budget 0s | not \"0s\"",
                "--budget 25h | not \"25h\"",
                "--budget soon | not \"soon\"",
                "--preemptions -1 | --preemptions is a number from 0 to 999, or all, not \"-1\"",
                "--preemptions many | not \"many\"",
                "--json no/such/x.json | there is no folder",
                "--pg 14 | --pg 14 is not embedded",
            })
    void options_wrong_areSaidBeforeAServerStarts(String options, String expected) throws IOException {
        String[] words = options.split(" ", 2);

        assertRefused(
                Run.tiebreak("prove", spec(ProveCommandTest.TWO_READERS).toString(), words[0], words[1]), expected);
    }

    @Test
    void server_isNotThere_isSaidOnceForAllFiles() throws IOException {
        spec(ProveCommandTest.TWO_READERS);
        Files.writeString(folder.resolve("other.spec"), ProveCommandTest.TWO_READERS);

        assertRefused(Run.on("jdbc:postgresql://localhost:1/x", "prove", folder.toString()), "no server answers: ");
    }

    @Test
    void role_withoutTheRight_isToldTheGrant_andWithItNeedsNoMore() throws IOException, SQLException {
        execute("DROP ROLE IF EXISTS prover", "CREATE ROLE prover LOGIN");
        String asProver = url.replaceFirst("\\?.*", "?user=prover");
        Path file = Path.of("../examples/oversell.spec");

        assertRefused(
                Run.on(asProver, "prove", file.toString()), "the role prover may not create a schema", "GRANT CREATE");

        execute("GRANT CREATE ON DATABASE " + url.replaceFirst(".*/([a-z_0-9]+)\\?.*", "$1") + " TO prover");
        Run run = Run.on(asProver, "prove", file.toString());
        assertThat(run.out()).startsWith("VIOLATED  tea sale, naive   8 of 10");
        assertThat(run.err()).isEmpty();

        execute("ALTER ROLE prover CONNECTION LIMIT 2");
        assertRefused(Run.on(asProver, "prove", file.toString()), "too many connections for role \"prover\"");
    }

    @Test
    void replay_ofSomethingElse_isRefused() throws IOException {
        Path other = Files.writeString(folder.resolve("x.replay"), "something else\n");
        assertRefused(Run.on(url, "prove", "--replay", other.toString()), other + ":1: not a replay file");

        Files.write(other, new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        assertRefused(Run.on(url, "prove", "--replay", other.toString()), "not a replay file: it is not text");

        Files.writeString(other, "tiebreak replay 1\nfile: x.spec\n");
        assertRefused(Run.on(url, "prove", "--replay", other.toString()), "the line \"sha256: …\" is missing");
    }

    @Test
    void replay_specChangedOrGone_isRefused() throws IOException {
        Path file = Files.copy(Path.of("../examples/oversell.spec"), folder.resolve("race.spec"));
        Path report = folder.resolve("report");
        assertThat(prove(file, "--report", report.toString()).exitCode()).isEqualTo(1);
        String record = report.resolve("race.replay").toString();
        assertThat(Run.on(url, "prove", "--replay", record).exitCode()).isEqualTo(1);

        Files.writeString(file, Files.readString(file) + "# changed\n");
        assertRefused(
                Run.on(url, "prove", "--replay", record),
                record + ":3: " + file + " has changed since this was recorded; prove it again");

        Files.delete(file);
        assertRefused(Run.on(url, "prove", "--replay", record), record + ":2: there is no " + file);
    }

    private Path spec(String text) throws IOException {
        return Files.writeString(folder.resolve("race.spec"), text);
    }

    private static Run prove(Path file, String... more) {
        return Run.on(
                url,
                java.util.stream.Stream.concat(
                                java.util.stream.Stream.of("prove", file.toString()), java.util.stream.Stream.of(more))
                        .toArray(String[]::new));
    }

    private static void assertRefused(Run run, String... expected) {
        assertThat(run.complaint())
                .startsWith("tiebreak prove: ")
                .contains(List.of(expected))
                .doesNotContain("Exception");
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out()).isEmpty();
    }

    private static void execute(String... statements) throws SQLException {
        try (Connection c = Server.dataSource(url).getConnection();
                Statement s = c.createStatement()) {
            for (String sql : statements) {
                s.execute(sql);
            }
        }
    }
}
