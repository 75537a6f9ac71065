package dev.tiebreak.prove;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.embedded.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every example has the verdict that its first lines promise, and breaks what this table says. */
class ExamplesTest {
    private static final Path EXAMPLES = Path.of("..", "examples");
    private static final boolean DEEP = Boolean.getBoolean("tiebreak.deep");

    private static final List<String> PROVED = List.of(
            "advisory-lock-read-committed",
            "doctors-on-call-serializable",
            "double-booking-constraint",
            "false-conflict-index",
            "oversell-conditional",
            "oversell-for-no-key-update",
            "oversell-serializable",
            "oversell-version",
            "reader-with-cursor",
            "transfer-sorted",
            "two-events-one-seat-claim",
            "two-managers-claim",
            "upserts-sorted",
            "webhook-inbox");

    /** File and what breaks first. */
    private static final List<String> VIOLATED = List.of(
            "advisory-lock-repeatable-read: one place",
            "doctors-on-call: somebody is on call",
            "double-booking: nobody overlaps",
            "false-conflict: 40001",
            "oversell: sold = taken",
            "reader-in-pages: serial equivalence",
            "transfer-opposite-order: 40P01",
            "two-events-one-seat: one ticket",
            "two-managers: serial equivalence",
            "upserts-opposite-order: 40P01",
            "webhook-twice: paid once");

    /**
     * Hermitage's table for PostgreSQL: which anomaly is kept out at READ COMMITTED, REPEATABLE READ, SERIALIZABLE.
     *
     * @see <a href="https://github.com/ept/hermitage">Hermitage</a>
     */
    private static final List<String> HERMITAGE = List.of(
            "g0                    yes yes yes",
            "g1a                   yes yes yes",
            "g1b                   yes yes yes",
            "g1c                   yes yes yes",
            "otv                   yes yes yes",
            "pmp                   no  yes yes",
            "pmp-write             no  yes yes",
            "p4                    no  yes yes",
            "g-single              no  yes yes",
            "g-single-dependencies no  yes yes",
            "g-single-write        no  yes yes",
            "g2-item               no  no  yes",
            "g2                    no  no  yes",
            "g2-two-edges          no  no  yes");

    private static String url = "";

    /**
     * An example and what is known of it.
     *
     * @param file below the folder of examples, without {@code .spec}
     * @param word the verdict
     * @param broken part of what a violated one breaks
     */
    record Example(String file, String word, String broken) {
        @Override
        public String toString() {
            return file + " " + word;
        }
    }

    @BeforeAll
    static void makeDatabase() {
        url = Server.shared(DEEP ? Server.OLDEST : Server.NEWEST).newDatabase();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void explore_example_hasItsVerdict(Example example) throws IOException {
        Path file = EXAMPLES.resolve(example.file + ".spec");

        Verdict verdict = SpecProof.of(file, url).explore();

        assertThat(verdict.word()).as(verdict.text()).isEqualTo(example.word);
        assertThat(Files.readString(file)).as("the words of the file").contains(example.word);
        if (verdict instanceof Verdict.Violated violated) {
            assertThat(violated.broken()).contains(example.broken);
        }
    }

    @Test
    void examples_everyFile_isKnown() throws IOException {
        try (Stream<Path> files = Files.walk(EXAMPLES)) {
            assertThat(files.map(EXAMPLES::relativize).map(Path::toString).filter(name -> name.endsWith(".spec")))
                    .containsExactlyInAnyOrderElementsOf(examples()
                            .map(example -> example.file.replace('/', java.io.File.separatorChar) + ".spec")
                            .toList());
        }
    }

    static Stream<Example> examples() {
        Stream<Example> proved = PROVED.stream().map(file -> new Example(file, "PROVED", ""));
        Stream<Example> violated = VIOLATED.stream()
                .map(line -> line.split(": ", 2))
                .map(parts -> new Example(parts[0], "VIOLATED", parts[1]));
        Stream<Example> hermitage =
                HERMITAGE.stream().map(line -> line.split(" +", 4)).flatMap(ExamplesTest::levels);
        return Stream.of(proved, violated, hermitage).flatMap(all -> all);
    }

    private static Stream<Example> levels(String... row) {
        List<String> levels = List.of("read-committed", "repeatable-read", "serializable");
        return Stream.of(0, 1, 2)
                .map(i -> new Example(
                        "hermitage/" + levels.get(i) + "/" + row[0],
                        row[i + 1].equals("yes") ? "PROVED" : "VIOLATED",
                        row[i + 1].equals("yes") ? "" : "serial equivalence"));
    }
}
