package dev.tiebreak.prove;

import dev.tiebreak.prove.spec.Spec;
import dev.tiebreak.prove.spec.SpecException;
import dev.tiebreak.prove.suite.Tester;
import dev.tiebreak.prove.suite.TesterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * PostgreSQL's isolation test suite: runs {@code specs/*.spec} of a directory and compares what it prints with
 * {@code expected/*.out}, variants {@code _1} to {@code _9} included.
 *
 * <p>It shows that spec files mean here what they mean to PostgreSQL's own tester. The specs run in a database
 * {@code isolation_regression} (one of them asks for this name), one file after another; the role has to be a superuser,
 * and {@code max_prepared_transactions} at least 3, for all of them to pass. Not thread-safe.
 */
public final class PgSuite {
    private static final String DATABASE = "isolation_regression";
    private static final Duration STEP_LIMIT = Duration.ofSeconds(60);
    private static final int VARIANTS = 9;

    private final String url;

    private PgSuite(String url) {
        this.url = url;
    }

    /**
     * A suite on a server.
     *
     * @param url a JDBC URL of the server, with user and password; of the database {@code isolation_regression} itself, which
     *     is then used as it is, or of another one, in which case {@code isolation_regression} is created and dropped
     */
    public static PgSuite on(String url) {
        return new PgSuite(url);
    }

    /**
     * What came of one file.
     *
     * @param file its name
     * @param matched whether the output is that of one of the expected files, to the letter
     * @param permutations how many orders were run
     * @param difference where the output leaves the nearest expected file, or why the run ended early; empty if it matched
     */
    public record FileResult(String file, boolean matched, int permutations, String difference) {}

    /**
     * Runs all specs of a directory in the order of their names.
     *
     * @param directory with the folders {@code specs} and {@code expected}
     * @param progress told of every file as soon as it has ended
     * @throws SetupException if there are no specs, or the database cannot be made
     */
    public List<FileResult> run(Path directory, Consumer<FileResult> progress) {
        List<Path> files = specs(directory);
        try (Connection server = DriverManager.getConnection(url)) {
            if (server.getCatalog().equals(DATABASE)) {
                return run(directory, files, url, progress);
            }
            String own = url(server);
            create(server);
            try {
                return run(directory, files, own, progress);
            } finally {
                execute(server, "DROP DATABASE IF EXISTS " + DATABASE + " WITH (FORCE)");
            }
        } catch (SQLException e) {
            throw new SetupException("cannot use " + withoutQuery(url) + ": " + e.getMessage(), e);
        }
    }

    private static List<FileResult> run(Path directory, List<Path> files, String url, Consumer<FileResult> progress) {
        List<FileResult> results = new ArrayList<>();
        for (Path file : files) {
            FileResult result = run(directory, file, url);
            results.add(result);
            progress.accept(result);
        }
        return results;
    }

    private static FileResult run(Path directory, Path file, String url) {
        String name = file.getFileName().toString();
        String test = name.substring(0, name.length() - ".spec".length());
        List<String> expected = expected(directory, test);
        if (expected.isEmpty()) {
            return new FileResult(name, false, 0, "there is no expected/" + test + ".out");
        }
        try (Tester tester = new Tester(Spec.readStock(file), url, test, STEP_LIMIT)) {
            String ended = "";
            try {
                tester.run();
            } catch (TesterException | SQLException e) {
                ended = String.valueOf(e.getMessage());
            }
            String printed = tester.printed();
            boolean matched = ended.isEmpty() && expected.contains(printed);
            String difference = matched ? "" : ended.isEmpty() ? difference(printed, expected) : ended;
            return new FileResult(name, matched, tester.permutations(), difference);
        } catch (SpecException | SQLException e) {
            return new FileResult(name, false, 0, String.valueOf(e.getMessage()));
        }
    }

    /** The first line in which the output leaves the expected file that it follows longest. */
    private static String difference(String printed, List<String> expected) {
        List<String> lines = printed.lines().toList();
        String words = "";
        int longest = -1;
        for (String each : expected) {
            List<String> others = each.lines().toList();
            int same = 0;
            while (same < Math.min(lines.size(), others.size())
                    && lines.get(same).equals(others.get(same))) {
                same++;
            }
            if (same > longest) {
                longest = same;
                words = "line " + (same + 1) + ": expected " + line(others, same) + ", printed " + line(lines, same);
            }
        }
        return words;
    }

    private static String line(List<String> lines, int index) {
        return index < lines.size() ? "\"" + lines.get(index) + "\"" : "the end";
    }

    private static List<String> expected(Path directory, String test) {
        List<String> texts = new ArrayList<>();
        for (int variant = 0; variant <= VARIANTS; variant++) {
            Path file = directory.resolve("expected").resolve(test + (variant == 0 ? "" : "_" + variant) + ".out");
            try {
                if (Files.exists(file)) {
                    texts.add(Files.readString(file));
                }
            } catch (IOException e) {
                throw new SetupException(file + " cannot be read: " + e.getMessage(), e);
            }
        }
        return texts;
    }

    private static List<Path> specs(Path directory) {
        Path specs = directory.resolve("specs");
        try (Stream<Path> files = Files.list(specs)) {
            List<Path> found = files.filter(file -> file.toString().endsWith(".spec"))
                    .sorted()
                    .toList();
            if (found.isEmpty()) {
                throw new SetupException(specs + " holds no *.spec files");
            }
            return found;
        } catch (IOException e) {
            throw new SetupException(
                    specs + " is no readable folder; give the folder that holds specs/ and expected/", e);
        }
    }

    private static void create(Connection server) throws SQLException {
        try (Statement statement = server.createStatement();
                ResultSet found =
                        statement.executeQuery("SELECT 1 FROM pg_database WHERE datname = '" + DATABASE + "'")) {
            if (found.next()) {
                throw new SetupException("the database " + DATABASE
                        + " exists already; drop it, or name it in the URL to run the suite in it");
            }
        }
        execute(server, "CREATE DATABASE " + DATABASE + " TEMPLATE template0 LOCALE 'C'");
        for (String setting : List.of(
                "lc_messages TO 'C'",
                "lc_monetary TO 'C'",
                "lc_numeric TO 'C'",
                "lc_time TO 'C'",
                "bytea_output TO 'hex'",
                "timezone_abbreviations TO 'Default'")) {
            execute(server, "ALTER DATABASE " + DATABASE + " SET " + setting);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The given URL with the suite's database in place of its own. */
    private String url(Connection server) throws SQLException {
        String plain = withoutQuery(url);
        int slash = plain.lastIndexOf('/');
        if (slash < 0 || !plain.substring(slash + 1).equals(server.getCatalog())) {
            throw new SetupException(
                    "the URL " + plain + " has to name its database, as in jdbc:postgresql://host:5432/postgres");
        }
        return plain.substring(0, slash + 1) + DATABASE + url.substring(plain.length());
    }

    private static String withoutQuery(String url) {
        int query = url.indexOf('?');
        return query < 0 ? url : url.substring(0, query);
    }
}
