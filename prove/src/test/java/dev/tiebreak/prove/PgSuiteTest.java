package dev.tiebreak.prove;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.tiebreak.embedded.Server;
import dev.tiebreak.prove.PgSuite.FileResult;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PgSuiteTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(ints = {15, 18})
    void run_ownSpecs_printWhatIsExpected(int major) throws URISyntaxException {
        Path own = Path.of(PgSuiteTest.class.getResource("/pg-suite").toURI());
        List<FileResult> told = new ArrayList<>();

        List<FileResult> results = PgSuite.on(Server.shared(major).url()).run(own, told::add);

        assertThat(results)
                .containsExactly(
                        new FileResult("every-order.spec", true, 3, ""),
                        new FileResult("killed.spec", true, 1, ""),
                        new FileResult("markers.spec", true, 3, ""),
                        new FileResult("variant.spec", true, 1, ""),
                        new FileResult("waits.spec", true, 2, ""));
        assertThat(told).isEqualTo(results);
    }

    @Test
    void run_otherOutput_namesTheFirstDifferentLineOfTheNearestVariant() throws IOException {
        spec("one", "session s step a { SELECT 1 AS x; }");
        expect("one.out", "something else\n");
        expect("one_1.out", "Parsed test spec with 1 sessions\n\nstarting permutation: a\nstep a: SELECT 2 AS x;\n");

        assertThat(run())
                .containsExactly(new FileResult(
                        "one.spec",
                        false,
                        1,
                        "line 4: expected \"step a: SELECT 2 AS x;\", printed \"step a: SELECT 1 AS x;\""));
    }

    @Test
    void run_failedSetup_endsTheFileAndSaysWhere() throws IOException {
        spec("one", "setup { SELECT 1 }\nsetup { SELECT * FROM nowhere }\nsession s step a { SELECT 1 }");
        expect("one.out", "Parsed test spec with 1 sessions\n");

        assertThat(run())
                .extracting(FileResult::matched, FileResult::difference)
                .containsExactly(tuple(
                        false,
                        directory.resolve("specs/one.spec")
                                + ":2: setup failed: ERROR:  relation \"nowhere\" does not exist"));
    }

    @Test
    void run_wrongSpec_doesNotStopTheOthers() throws IOException {
        spec("one", "session s\nstep { }");
        expect("one.out", "");
        spec("two", "session s step a { }");
        expect("two.out", "Parsed test spec with 1 sessions\n\nstarting permutation: a\nstep a: \n");
        spec("three", "session s step a { }");

        assertThat(run())
                .containsExactly(
                        new FileResult(
                                "one.spec",
                                false,
                                0,
                                directory.resolve("specs/one.spec")
                                        + ":2: expected a name after step, found a { } block"),
                        new FileResult("three.spec", false, 0, "there is no expected/three.out"),
                        new FileResult("two.spec", true, 1, ""));
    }

    @Test
    void run_stepsThatWaitForEachOther_endTheFile() throws IOException {
        spec("one", "session s step a { SELECT 1 } session t step b { SELECT 2 } permutation a(b notices 1) b");
        expect("one.out", "");

        assertThat(run())
                .extracting(FileResult::difference)
                .containsExactly("failed to complete permutation: steps wait for each other: [a]");
    }

    @Test
    void run_folderWithoutSpecs_isASetupError() throws IOException {
        assertThatThrownBy(() -> PgSuite.on(url()).run(directory.resolve("nowhere"), result -> {}))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("is no readable folder");
        Files.createDirectories(directory.resolve("specs"));
        assertThatThrownBy(() -> PgSuite.on(url()).run(directory, result -> {}))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("holds no *.spec files");
    }

    @Test
    void run_databaseThere_isLeftAlone() throws IOException, SQLException {
        spec("one", "session s step a { }");
        try (Connection server = Server.dataSource(url()).getConnection();
                Statement statement = server.createStatement()) {
            statement.execute("CREATE DATABASE isolation_regression");
            try {
                assertThatThrownBy(() -> PgSuite.on(url()).run(directory, result -> {}))
                        .isInstanceOf(SetupException.class)
                        .hasMessageContaining("isolation_regression exists already");
                try (ResultSet there = statement.executeQuery(
                        "SELECT count(*) FROM pg_database WHERE datname = 'isolation_regression'")) {
                    there.next();
                    assertThat(there.getInt(1)).isEqualTo(1);
                }
            } finally {
                statement.execute("DROP DATABASE isolation_regression");
            }
        }
    }

    @Test
    void run_noServer_isASetupError() throws IOException {
        spec("one", "session s step a { }");
        assertThatThrownBy(() -> PgSuite.on("jdbc:postgresql://localhost:1/postgres?password=secret")
                        .run(directory, result -> {}))
                .isInstanceOf(SetupException.class)
                .hasMessageStartingWith("cannot use jdbc:postgresql://localhost:1/postgres: ")
                .hasMessageNotContaining("secret");
    }

    private List<FileResult> run() {
        return PgSuite.on(url()).run(directory, result -> {});
    }

    private static String url() {
        return Server.shared(15).url();
    }

    private void spec(String name, String text) throws IOException {
        write("specs", name + ".spec", text);
    }

    private void expect(String file, String text) throws IOException {
        write("expected", file, text);
    }

    private void write(String folder, String file, String text) throws IOException {
        Path path = Files.createDirectories(directory.resolve(folder)).resolve(file);
        Files.writeString(path, text);
    }
}
