package dev.tiebreak.app.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.tiebreak.app.Complaint;
import dev.tiebreak.app.Database;
import dev.tiebreak.app.bench.Recording.Sent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PostgreSQL's own load generator, running the statements of a strategy in the same transaction shape: what the same SQL
 * carries without Java.
 *
 * <p>The script is not written by hand. One take through the library is recorded, round trip by round trip, and written
 * down for {@code pgbench}; the value that changes with the item becomes the random one.
 */
final class Pgbench {
    private static final Pattern PROCESSED = Pattern.compile("number of transactions actually processed: (\\d+)");
    private static final Pattern PER_SECOND = Pattern.compile("tps = ([0-9.]+) \\(without initial connection time\\)");

    private final Path program;
    private final Map<String, String> server;

    private Pgbench(Path program, Map<String, String> server) {
        this.program = program;
        this.server = server;
    }

    /** The program at that path; it must be there. */
    static Pgbench at(Path program, Database database) {
        if (!Files.isExecutable(program)) {
            throw new Complaint("there is no program " + program + "; correct --pgbench, or leave it out");
        }
        return new Pgbench(program, database.libpq());
    }

    /** The program on the PATH or in the folders where packages put it, newest first. */
    static Optional<Pgbench> find(Map<String, String> env, Database database) {
        List<Path> places = new ArrayList<>();
        for (String folder : env.getOrDefault("PATH", "").split(":", -1)) {
            places.add(Path.of(folder, "pgbench"));
        }
        for (int major = 19; major >= 14; major--) {
            places.add(Path.of("/usr/lib/postgresql/" + major + "/bin/pgbench"));
            places.add(Path.of("/usr/pgsql-" + major + "/bin/pgbench"));
            places.add(Path.of("/opt/homebrew/opt/postgresql@" + major + "/bin/pgbench"));
            places.add(Path.of("/usr/local/opt/postgresql@" + major + "/bin/pgbench"));
        }
        return places.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .map(found -> new Pgbench(found, database.libpq()));
    }

    /** Whether a script can say what the strategy does; choices made in Java between statements it cannot. */
    static boolean canRun(Strategy strategy) {
        return switch (strategy) {
            case CONDITIONAL, CONSTRAINT, PESSIMISTIC, SERIALIZABLE, ADVISORY -> true;
            case OPTIMISTIC, SPLIT, BATCHING, UNITS, NAIVE, PLAIN -> false;
        };
    }

    /** The script of a strategy for items 1 to {@code items}, from two recorded takes of different items. */
    static String script(Strategy strategy, HikariDataSource pool, Shelf shelf, long items) throws Exception {
        shelf.restock(2, 1000);
        List<Sent> first = take(strategy, pool, shelf, 1);
        List<Sent> second = take(strategy, pool, shelf, 2);
        StringBuilder script = new StringBuilder("\\set item random(1, " + items + ")\n");
        for (int trip = 0; trip < first.size(); trip++) {
            String begin = trip == 0 ? "BEGIN;\n" : "";
            String statements = begin + statements(first.get(trip), second.get(trip));
            boolean several = statements.indexOf(";\n") != statements.lastIndexOf(";\n");
            script.append(several ? "\\startpipeline\n" + statements + "\\endpipeline\n" : statements);
        }
        return script.toString();
    }

    private static List<Sent> take(Strategy strategy, HikariDataSource pool, Shelf shelf, long item) throws Exception {
        Recording recording = new Recording(pool);
        try (Seller seller = Sellers.open(strategy, recording.source(), shelf, 1)) {
            seller.sell(item);
        }
        return recording.sent();
    }

    private static String statements(Sent sent, Sent other) {
        StringBuilder text = new StringBuilder();
        int parameter = 0;
        for (char c : sent.sql().replaceAll("\\s+", " ").toCharArray()) {
            if (c == '?') {
                Object value = sent.values().get(parameter);
                boolean varies = !value.equals(other.values().get(parameter));
                text.append(varies ? ":item" : value instanceof Number ? value.toString() : "'" + value + "'");
                parameter++;
            } else {
                text.append(c);
            }
        }
        return text.toString().strip().replaceAll(";$", "").replaceAll("; ?", ";\n") + ";\n";
    }

    /**
     * What it carried.
     *
     * @param perSecond transactions a second, without the time to connect
     * @param processed transactions from first to last: what must be missing on the shelf
     */
    record Carried(double perSecond, long processed) {}

    /** Runs the script with so many connections for that long; prepared statements, two threads. */
    Carried run(String script, int clients, Duration duration) throws IOException, InterruptedException {
        Path file = Files.createTempFile("tiebreak", ".pgbench");
        try {
            Files.writeString(file, script);
            ProcessBuilder builder = new ProcessBuilder(
                            program.toString(),
                            "-n",
                            "-M",
                            "prepared",
                            "-j",
                            "2",
                            "-c",
                            String.valueOf(clients),
                            "-T",
                            String.valueOf(Math.max(1, duration.toSeconds())),
                            "--max-tries",
                            "1000",
                            "-f",
                            file.toString())
                    .redirectErrorStream(true);
            builder.environment().putAll(server);
            Process process = builder.start();
            try {
                String said =
                        new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
                Matcher processed = PROCESSED.matcher(said);
                Matcher perSecond = PER_SECOND.matcher(said);
                if (process.waitFor() != 0 || !processed.find() || !perSecond.find()) {
                    throw new Complaint("pgbench failed: "
                            + said.lines()
                                    .filter(line -> line.contains("error"))
                                    .findFirst()
                                    .orElse(said) + "; leave it out with --pgbench none");
                }
                return new Carried(Double.parseDouble(perSecond.group(1)), Long.parseLong(processed.group(1)));
            } finally {
                process.destroy();
            }
        } finally {
            Files.deleteIfExists(file);
        }
    }

    @Override
    public String toString() {
        return program.toString();
    }
}
