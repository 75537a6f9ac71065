package dev.tiebreak.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Starts the benchmark that is named by the first argument.
 *
 * <p>Exit codes: 0 measured (or listed), 1 failed or a row was not exact, 2 wrong arguments, 3 no such benchmark.
 */
public final class Main {
    /** Every benchmark, in the order in which it is listed. */
    static final List<Benchmark> BENCHMARKS = List.of(new Takes(), new TransactionCost(), new Locks(), new Transfers());

    private static final String USAGE = "benchmarks/run NAME [--quick] [--only REGEX] [--json FILE]";

    private Main() {}

    public static void main(String[] arguments) {
        System.exit(run(BENCHMARKS, List.of(arguments), System.out, System.err));
    }

    static int run(List<Benchmark> benchmarks, List<String> arguments, PrintStream out, PrintStream err) {
        if (arguments.isEmpty()) {
            list(benchmarks, out);
            return 0;
        }
        String name = arguments.getFirst();
        for (Benchmark benchmark : benchmarks) {
            if (benchmark.name().equals(name)) {
                return run(benchmark, arguments.subList(1, arguments.size()), out, err);
            }
        }
        err.println("benchmarks/run: no benchmark named '" + name + "'; called without a name it lists them");
        return 3;
    }

    private static int run(Benchmark benchmark, List<String> arguments, PrintStream out, PrintStream err) {
        Options options;
        try {
            options = Options.parse(arguments);
        } catch (IllegalArgumentException e) {
            err.println("benchmarks/run: " + e.getMessage() + "; usage: " + USAGE);
            return 2;
        }
        try {
            List<Row> rows = benchmark.run(options);
            if (rows.isEmpty()) {
                err.println("benchmarks/run: no case of '" + benchmark.name() + "' was asked for");
                return 2;
            }
            out.print(Report.table(rows));
            if (options.json() != null) {
                write(options.json(), Report.json(rows));
            }
            return rows.stream().allMatch(Row::exact) ? 0 : 1;
        } catch (Exception e) {
            e.printStackTrace(err);
            err.println("benchmarks/run: " + benchmark.name() + " failed");
            return 1;
        }
    }

    private static void write(Path file, String text) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        Files.writeString(file, text);
    }

    private static void list(List<Benchmark> benchmarks, PrintStream out) {
        out.println("usage: " + USAGE);
        int width = benchmarks.stream().mapToInt(b -> b.name().length()).max().orElse(0);
        for (Benchmark benchmark : benchmarks) {
            String name = benchmark.name();
            out.println("  " + name + " ".repeat(width - name.length()) + "  " + benchmark.about());
        }
    }
}
