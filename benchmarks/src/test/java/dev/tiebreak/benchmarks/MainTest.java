package dev.tiebreak.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path folder;

    @Test
    void run_withoutName_listsEveryBenchmark() {
        assertThat(run()).isZero();
        assertThat(text(out)).contains("usage: benchmarks/run NAME").contains("  counted  two cases, one of them odd");
    }

    @Test
    void run_unknownName_saysSoInOneLineAndExitsWithThree() {
        assertThat(run("nosuch")).isEqualTo(3);
        assertThat(text(err).lines()).hasSize(1);
        assertThat(text(err)).contains("'nosuch'");
        assertThat(text(out)).isEmpty();
    }

    @Test
    void run_unknownArgument_exitsWithTwo() {
        assertThat(run("counted", "--fast")).isEqualTo(2);
        assertThat(text(err).lines()).hasSize(1);
        assertThat(text(err)).contains("'--fast'");
    }

    @Test
    void run_valueMissing_exitsWithTwo() {
        assertThat(run("counted", "--json")).isEqualTo(2);
        assertThat(text(err)).contains("--json needs a value");
    }

    @Test
    void run_brokenExpression_exitsWithTwo() {
        assertThat(run("counted", "--only", "(")).isEqualTo(2);
    }

    @Test
    void run_exactRows_printsATableAndWritesJson() throws Exception {
        Path json = folder.resolve("new/results.json");

        assertThat(run("counted", "--only", "even", "--json", json.toString())).isZero();

        assertThat(text(out)).isEqualTo("""
                case           value  unit    min     max
                counted/even  12,345  ops/s  9.50  20,000
                """);
        assertThat(Files.readString(json)).isEqualTo("""
                {"results":[
                  {"case":"counted/even","value":12345.0,"unit":"ops/s","min":9.5,"max":20000.0,"exact":true}
                ]}
                """);
    }

    @Test
    void run_rowNotExact_printsNoValueAndExitsWithOne() {
        assertThat(run("counted")).isEqualTo(1);
        assertThat(text(out)).contains("INEXACT").doesNotContain("777");
    }

    @Test
    void run_nothingAskedFor_exitsWithTwo() {
        assertThat(run("counted", "--only", "nosuch")).isEqualTo(2);
    }

    @Test
    void run_benchmarkThrows_printsItsTraceAndExitsWithOne() {
        assertThat(run("broken")).isEqualTo(1);
        assertThat(text(err)).contains("IllegalStateException: as asked").contains("broken failed");
    }

    @Test
    void benchmarks_names_differ() {
        List<String> names = Main.BENCHMARKS.stream().map(Benchmark::name).toList();
        assertThat(new HashSet<>(names)).hasSameSizeAs(names);
    }

    @Test
    void median_evenNumberOfRepeats_isTheMeanOfTheMiddle() {
        assertThat(Row.median("x", "B", true, 4, 1, 3, 100)).isEqualTo(new Row("x", 3.5, "B", 1, 100, true));
    }

    private int run(String... arguments) {
        return Main.run(
                List.of(new Counted(), new Broken()),
                List.of(arguments),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private record Counted() implements Benchmark {
        @Override
        public String name() {
            return "counted";
        }

        @Override
        public String about() {
            return "two cases, one of them odd";
        }

        @Override
        public List<Row> run(Options options) {
            return List.of(
                            Row.median("counted/even", "ops/s", true, 20_000, 9.5, 12_345),
                            Row.median("counted/odd", "ops/s", false, 777))
                    .stream()
                    .filter(row -> options.wants(row.name()))
                    .toList();
        }
    }

    private record Broken() implements Benchmark {
        @Override
        public String name() {
            return "broken";
        }

        @Override
        public String about() {
            return "throws";
        }

        @Override
        public List<Row> run(Options options) {
            throw new IllegalStateException("as asked");
        }
    }
}
