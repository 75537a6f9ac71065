package dev.tiebreak.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.embedded.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

class BenchCommandTest {
    @TempDir
    private Path folder;

    @Test
    void bench_moreCallersThanConnections_exactRowsInexactControlJsonReportAndPlan() throws IOException, SQLException {
        String url = Server.shared(18).newDatabase();
        Path json = folder.resolve("bench.json");

        Run run = Run.on(
                url,
                "bench",
                "--clients",
                "40",
                "--keys",
                "1",
                "--seconds",
                "1",
                "--repeats",
                "1",
                "--strategies",
                "conditional,naive",
                "--pgbench",
                "none",
                "--json",
                json.toString(),
                "--report",
                folder.resolve("report").toString());

        assertThat(run.out()).startsWith("EXACT  1 of 1 rows sold exactly what left the shelf");
        assertThat(run.out()).contains("40 clients, one hot key", "best with ", "Fastest on one hot key");
        assertThat(run.out().lines().filter(line -> line.startsWith("naive ")))
                .singleElement()
                .asString()
                .contains("INEXACT", " NO");
        assertThat(run.err().lines()).singleElement().asString().startsWith("the report is in file:");
        assertThat(run.exitCode()).isZero();
        assertThat(Schemas.in(url)).isEmpty();
        assertThat(folder.resolve("report/index.html")).content().contains("<!doctype html>", "Fastest on one hot key");

        List<?> results = (List<?>)
                Objects.requireNonNull(JSON.std.mapFrom(Files.readString(json)).get("results"));
        assertThat(results).hasSize(2).allSatisfy(result -> {
            Map<?, ?> row = (Map<?, ?>) result;
            assertThat(row.keySet())
                    .map(String::valueOf)
                    .containsExactly(
                            "strategy",
                            "clients",
                            "keys",
                            "takes_per_s",
                            "min",
                            "max",
                            "p50_ms",
                            "p99_ms",
                            "max_ms",
                            "retries_per_take",
                            "max_attempts",
                            "commits_per_take",
                            "exact");
            assertThat(row.get("exact")).isEqualTo("conditional".equals(row.get("strategy")));
            assertThat(number(row, "takes_per_s")).isPositive();
            assertThat(number(row, "p50_ms")).isPositive().isLessThanOrEqualTo(number(row, "p99_ms"));
        });
        planFrom(json);
    }

    private static double number(Map<?, ?> row, String name) {
        return ((Number) Objects.requireNonNull(row.get(name))).doubleValue();
    }

    private static void planFrom(Path json) {
        Run fits = Run.tiebreak("plan", "--demand", "1/s", "--from", json.toString());
        assertThat(fits.out()).startsWith("USE  conditional carries ").contains("head-room", "enough");
        assertThat(fits.exitCode()).isZero();

        Run none = Run.tiebreak("plan", "--demand", "1000000000/s", "--from", json.toString());
        assertThat(none.out())
                .startsWith("NONE  no strategy carried 1,000,000,000 takes/s here")
                .contains("too slow");
        assertThat(none.exitCode()).isEqualTo(1);

        assertThat(Run.tiebreak("plan", "--demand", "1/s", "--keys", "7", "--from", json.toString())
                        .complaint())
                .contains("nothing exact was measured with --keys 7 (there is 1)");
    }

    @Test
    void pgbench_notThere_isSaid() {
        assertThat(Run.onFreshDatabase("bench", "--pgbench", "/no/such/pgbench").complaint())
                .contains("there is no program /no/such/pgbench; correct --pgbench, or leave it out");
    }

    @Test
    void plan_fileThatIsNoBench_isSaid() throws IOException {
        Path text = Files.writeString(folder.resolve("a.txt"), "hello");
        assertThat(Run.tiebreak("plan", "--demand", "1/s", "--from", text.toString())
                        .complaint())
                .contains("is not JSON");
        Path other = Files.writeString(folder.resolve("b.json"), "{\"results\":[{\"strategy\":\"x\"}]}");
        assertThat(Run.tiebreak("plan", "--demand", "1/s", "--from", other.toString())
                        .complaint())
                .contains("has no number \"clients\"; give a file written by tiebreak bench --json");
    }
}
