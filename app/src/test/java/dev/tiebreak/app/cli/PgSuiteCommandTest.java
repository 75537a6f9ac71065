package dev.tiebreak.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.embedded.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PgSuiteCommandTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void writeSuite() throws IOException {
        Files.createDirectories(folder.resolve("specs"));
        Files.createDirectories(folder.resolve("expected"));
        Files.writeString(folder.resolve("specs/one.spec"), """
                session s1
                step a { SELECT 1 AS one; }
                """);
        Files.writeString(folder.resolve("expected/one.out"), """
                Parsed test spec with 1 sessions

                starting permutation: a
                step a: SELECT 1 AS one;
                one
                ---
                  1
                (1 row)

                """);
    }

    @Test
    void pgSuite_allFilesMatch_saysSoExit0() throws IOException {
        Path json = folder.resolve("suite.json");
        Run run = Run.on(Server.shared(18).url(), "pg-suite", folder.toString(), "--json", json.toString());

        assertThat(run.out()).startsWith("MATCHED  1 of 1 files print what is expected, 1 permutations, PostgreSQL 18");
        assertThat(run.exitCode()).isZero();
        assertThat(json)
                .content()
                .containsIgnoringWhitespaces(
                        "{\"files\":[{\"file\":\"one.spec\",\"matched\":true,\"permutations\":1}]}");
    }

    @Test
    void pgSuite_fileDiffers_namesTheLineExit1() throws IOException {
        Files.writeString(folder.resolve("expected/one.out"), "Parsed test spec with 2 sessions\n");
        Run run = Run.on(Server.shared(18).url(), "pg-suite", folder.toString());

        assertThat(run.out()).startsWith("DIFFERENT  0 of 1 files").contains("one.spec  line 1: expected");
        assertThat(run.exitCode()).isEqualTo(1);
    }

    @Test
    void pgSuite_noSpecs_isSaidExit3() {
        Run run = Run.on(
                Server.shared(18).url(), "pg-suite", folder.resolve("nowhere").toString());

        assertThat(run.complaint()).contains("give the folder that holds specs/ and expected/");
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(Run.tiebreak("pg-suite").complaint()).contains("Missing required parameter: 'DIR'");
    }
}
