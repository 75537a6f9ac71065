package dev.tiebreak.prove.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.embedded.Server;
import dev.tiebreak.prove.spec.Spec;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Leaving out orders must not leave out outcomes, and the same race must come out the same every time. */
class ReductionTest {
    private static final String TABLES = """
            setup { CREATE TABLE acc (id int PRIMARY KEY, bal int); INSERT INTO acc VALUES (1, 10), (2, 10);
                    CREATE TABLE log (id int, who text); CREATE TABLE parent (id int PRIMARY KEY, n int);
                    INSERT INTO parent VALUES (1, 0); CREATE TABLE child (id int, parent int REFERENCES parent); }
            teardown { DROP TABLE child, parent, log, acc; }
            """;

    private static String url = "";

    @BeforeAll
    static void database() {
        url = Server.shared(Server.NEWEST).newDatabase();
    }

    private static String sessions(String... bodies) {
        StringBuilder text = new StringBuilder(TABLES + "#@ errors allow 40001 40P01 23505 retries 1\n");
        for (int i = 0; i < bodies.length; i++) {
            text.append("session s").append(i).append('\n');
            String[] statements = bodies[i].split(";", -1);
            for (int k = 0; k < statements.length; k++) {
                text.append("step s").append(i).append((char) ('a' + k)).append(" { ");
                text.append(statements[k].strip()).append("; }\n");
            }
        }
        return text.toString();
    }

    static List<String> races() {
        String read = "SELECT bal FROM acc WHERE id = ";
        String write = "UPDATE acc SET bal = bal + 1 WHERE id = ";
        return List.of(
                sessions(
                        "BEGIN;" + read + "1;" + write + "1;COMMIT",
                        "BEGIN;" + read + "2;INSERT INTO log VALUES (1, 'b');COMMIT"),
                sessions(
                        "BEGIN;INSERT INTO log VALUES (1, 'a');" + read + "1;COMMIT",
                        "BEGIN;" + write + "1;SELECT count(*) FROM log;COMMIT"),
                sessions("BEGIN;" + write + "1;" + write + "2;COMMIT", "BEGIN;" + write + "2;" + write + "1;COMMIT"),
                sessions(
                        "BEGIN ISOLATION LEVEL REPEATABLE READ;SELECT count(*) FROM log;" + read + "1;COMMIT",
                        write + "1;INSERT INTO log VALUES (1, 'b');" + write + "2"),
                sessions(
                        "BEGIN ISOLATION LEVEL SERIALIZABLE;SELECT count(*) FROM log;" + write + "1;COMMIT",
                        "BEGIN ISOLATION LEVEL SERIALIZABLE;" + read + "1;INSERT INTO log VALUES (1, 'b');COMMIT"),
                sessions(
                        "BEGIN;INSERT INTO child VALUES (1, 1);" + write + "1;COMMIT",
                        "BEGIN;UPDATE parent SET n = n + 1 WHERE id = 1;DELETE FROM parent WHERE id = 2;COMMIT"),
                sessions(
                        "BEGIN;" + write + "1;COMMIT",
                        "BEGIN;SELECT count(*) FROM log;" + write + "1;COMMIT",
                        "INSERT INTO log VALUES (1, 'c');SELECT sum(bal) FROM acc"),
                sessions(
                        "BEGIN;SELECT pg_advisory_xact_lock(1);" + read + "1;COMMIT",
                        "BEGIN;" + write + "1;SELECT pg_advisory_xact_lock(1);COMMIT",
                        "SELECT count(*) FROM log;INSERT INTO log VALUES (1, 'c')"));
    }

    private static Set<String> outcomes(String text, boolean reduce) throws SQLException {
        Settings settings = new Settings(
                Explorer.Limits.ALL,
                Duration.ofMinutes(2),
                Long.MAX_VALUE,
                reduce,
                Duration.ofMinutes(2),
                Duration.ofSeconds(20),
                progress -> {});
        return new SpecRun(Spec.parse("race.spec", text), Connector.url(url)).outcomes(settings);
    }

    @ParameterizedTest
    @MethodSource("races")
    void outcomes_reducedAndFull_areTheSame(String race) throws SQLException {
        assertThat(outcomes(race, true)).isNotEmpty().isEqualTo(outcomes(race, false));
    }

    @Test
    void outcomes_tenRepeats_areTheSame() throws SQLException {
        for (String race : List.of(races().get(2), races().get(4))) {
            Set<Set<String>> all = new HashSet<>();
            for (int i = 0; i < 10; i++) {
                all.add(outcomes(race, true));
            }
            assertThat(all).hasSize(1);
        }
    }
}
