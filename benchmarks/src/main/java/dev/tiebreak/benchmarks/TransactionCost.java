package dev.tiebreak.benchmarks;

import dev.tiebreak.embedded.Server;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * What the runner itself costs: the same statement in the same transaction, through {@code Tx} and by hand.
 *
 * <p>Each repeat is a JVM of its own; the cases take turns, in reversed order every other repeat. The server commits
 * without waiting for the disk, whose noise is many times what is looked for.
 */
final class TransactionCost implements Benchmark {
    private static final Map<String, String> CASES = cases();

    private static Map<String, String> cases() {
        Map<String, String> cases = new LinkedHashMap<>();
        cases.put("no-network/by-hand", "nothingByHand");
        cases.put("no-network/tx", "nothingTx");
        cases.put("server/by-hand", "serverByHand");
        cases.put("server/tx", "serverTx");
        return cases;
    }

    @Override
    public String name() {
        return "tx";
    }

    @Override
    public String about() {
        return "what Tx costs a call, against the same JDBC by hand (JMH)";
    }

    @Override
    public List<Row> run(Options options) throws RunnerException {
        int repeats = options.quick() ? 3 : 7;
        List<String> order =
                new ArrayList<>(CASES.keySet().stream().filter(options::wants).toList());
        Map<String, double[]> times = new LinkedHashMap<>();
        order.forEach(name -> times.put(name, new double[repeats]));
        try (Server server = Server.start(Server.NEWEST, Map.of("synchronous_commit", "off"))) {
            String url = server.newDatabase();
            for (int repeat = 0; repeat < repeats; repeat++) {
                for (String name : order) {
                    System.err.println("tx: " + name + ", " + (repeat + 1) + " of " + repeats);
                    times.getOrDefault(name, new double[repeats])[repeat] = measure(name, url, options.quick());
                }
                order = order.reversed();
            }
        }
        List<Row> rows = new ArrayList<>();
        times.forEach((name, each) -> rows.add(Row.median(name, "ns/op", true, each)));
        for (String where : List.of("no-network", "server")) {
            double[] tx = times.get(where + "/tx");
            double[] byHand = times.get(where + "/by-hand");
            if (tx != null && byHand != null) {
                double[] difference = new double[repeats];
                for (int i = 0; i < repeats; i++) {
                    difference[i] = tx[i] - byHand[i];
                }
                rows.add(Row.median(where + "/tx minus by-hand", "ns/op", true, difference));
            }
        }
        return rows;
    }

    private static double measure(String name, String url, boolean quick) throws RunnerException {
        var options = new OptionsBuilder()
                .include(TransactionCalls.class.getName() + "\\." + CASES.get(name) + "$")
                .forks(1)
                .warmupIterations(quick ? 1 : 3)
                .warmupTime(TimeValue.milliseconds(quick ? 1_000 : 2_000))
                .measurementIterations(quick ? 1 : 3)
                .measurementTime(TimeValue.seconds(1))
                .jvmArgsAppend("-D" + TransactionCalls.URL + "=" + url)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
        RunResult result = new Runner(options).runSingle();
        return result.getPrimaryResult().getScore();
    }
}
