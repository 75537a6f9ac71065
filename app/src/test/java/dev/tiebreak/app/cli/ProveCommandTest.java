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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

class ProveCommandTest {
    private static final Path OVERSELL = Path.of("../examples/oversell.spec");
    private static String url;

    @TempDir
    private Path folder;

    @BeforeAll
    static void database() {
        url = Server.shared(18).newDatabase();
    }

    @AfterEach
    void nothingIsLeft() throws SQLException {
        assertThat(Schemas.in(url)).isEmpty();
    }

    @Test
    void prove_violatedFile_showsVerdictPictureReasonAndACommandThatRunsItAgain() {
        Run run = prove(OVERSELL);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .startsWith(
                        "VIOLATED  tea sale, naive   8 of 10 interleavings break \"sold = taken\"   fewest switches: 1")
                .contains(
                        "  ana     ",
                        "waits for ana",
                        "why   \"sold = taken\" is false at the end",
                        "\nfixes tiebreak prove ../examples/oversell.spec --fixes --url ",
                        "\nagain tiebreak prove --replay ");

        Run again = pasted(run.out()
                .lines()
                .filter(line -> line.startsWith("again "))
                .findFirst()
                .orElseThrow());

        assertThat(again.out())
                .startsWith("VIOLATED  tea sale, naive   this interleaving is bad: sold = taken")
                .contains("waits for ana", "why   ", "(recorded on 18");
        assertThat(again.exitCode()).isEqualTo(1);
    }

    @Test
    void prove_withFixes_listsTheProvedOnesAndTheirSql() {
        Run run = prove(OVERSELL, "--fixes");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out())
                .contains(
                        "fixes ",
                        "FOR NO KEY UPDATE on the reads: PROVED (",
                        "\n      FOR NO KEY UPDATE on the reads, in aread, bread:\n",
                        " WHERE item_id = 7 FOR NO KEY UPDATE\n",
                        "+ BEGIN ISOLATION LEVEL SERIALIZABLE",
                        "+ and around it: run the transaction again on 40001")
                .doesNotContain("--fixes");
    }

    @Test
    void prove_provedFile_saysWhatBoundsIt() throws IOException {
        Run run = prove(spec("good", TWO_READERS));

        assertThat(run.out())
                .startsWith("PROVED  good.spec   ")
                .contains("the only interleaving is good\nfor   2 sessions, 2 steps, READ COMMITTED, PostgreSQL 18");
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
    }

    @Test
    void prove_whatShouldHappenNeverDoes_isUndecidedExit2() throws IOException {
        Run run = prove(spec("lonely", "#@ sometimes \"someone waited\"\n" + TWO_READERS));

        assertThat(run.out()).startsWith("UNDECIDED  lonely.spec   ").contains("never happened: \"someone waited\"");
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @Test
    void prove_boundEndsIt_isUndecidedAndNamesTheBound() {
        Path cure = Path.of("../examples/oversell-conditional.spec");

        Run few = prove(cure, "--preemptions", "0");
        assertThat(few.out()).startsWith("UNDECIDED").contains("ended by the bound of 0 preemptions");
        assertThat(few.exitCode()).isEqualTo(2);

        Run brief = prove(cure, "--budget", "1ms");
        assertThat(brief.out()).startsWith("UNDECIDED").contains("ended by the time budget of 1 ms");
        assertThat(brief.exitCode()).isEqualTo(2);
    }

    @Test
    void prove_invariantFalseInTurn_isNoRaceAndNoCureIsOffered() throws IOException {
        Run run = prove(spec("wrong", "#@ invariant \"one is two\" { SELECT 1 = 2 }\n" + TWO_READERS));

        assertThat(run.out()).startsWith("VIOLATED").contains("not a race: fails one after another");
        assertThat(run.out()).doesNotContain("--fixes");
        assertThat(run.exitCode()).isEqualTo(1);
    }

    @Test
    void prove_folder_aLineAFileThenPicturesThenSummaryAndTheWorstExitCode() throws IOException {
        Files.createDirectories(folder.resolve("below"));
        Files.createDirectories(folder.resolve(".hidden"));
        spec("a-good", TWO_READERS);
        spec("b-bad", "setup { CREATE TABLE t (); }\nsetup { SELECT * FROM nowhere; }\n" + TWO_READERS);
        spec(".hidden/c", TWO_READERS);
        Files.copy(OVERSELL, folder.resolve("below/oversell.spec"));

        Run run = prove(folder);

        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isEqualTo(3);
        List<String> lines = run.out().lines().toList();
        assertThat(lines.get(0)).startsWith("PROVED     " + folder.resolve("a-good.spec") + "  ");
        assertThat(lines.get(1))
                .startsWith("ERROR      " + folder.resolve("b-bad.spec") + "  ")
                .endsWith("line 2: setup: relation \"nowhere\" does not exist (42P01)");
        assertThat(lines.get(2))
                .isEqualTo("VIOLATED   " + folder.resolve("below/oversell.spec")
                        + "  8 of 10 interleavings break \"sold = taken\"");
        assertThat(lines.subList(3, 6))
                .containsExactly(
                        "",
                        folder.resolve("below/oversell.spec").toString(),
                        "VIOLATED  tea sale, naive   8 of 10 interleavings break \"sold = taken\"   fewest switches: 1");
        assertThat(lines.get(lines.size() - 2)).startsWith("3 files: 1 PROVED, 1 VIOLATED, 1 ERROR   in ");
        assertThat(lines.get(lines.size() - 1))
                .startsWith("fixes tiebreak prove " + folder.resolve("below/oversell.spec") + " --fixes --url ");
    }

    @Test
    void prove_json_hasTheDocumentedShape() throws IOException {
        Path json = folder.resolve("proofs.json");
        Path bad = spec("bad", "session s1\nstep a { SELECT 1; }\npermutation b\n");

        Run run = prove(
                OVERSELL, spec("good", TWO_READERS).toString(), bad.toString(), "--fixes", "--json", json.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        Map<String, Object> root = JSON.std.mapFrom(Files.readString(json));
        assertThat(root.keySet()).containsExactly("files");
        List<Map<String, Object>> files = objects(root.get("files"));
        assertThat(files).hasSize(3).allSatisfy(file -> assertThat(file.keySet())
                .containsExactly(
                        "file",
                        "verdict",
                        "interleavings",
                        "violations",
                        "preemptions",
                        "schedule",
                        "reason",
                        "fixes"));
        assertThat(files.get(0))
                .containsEntry("file", OVERSELL.toString())
                .containsEntry("verdict", "VIOLATED")
                .containsEntry("interleavings", 10)
                .containsEntry("violations", 8)
                .containsEntry("preemptions", 1);
        assertThat(JSON.std.asString(files.get(0).get("schedule")))
                .startsWith("[\"ana\",")
                .endsWith(",\"ben\"]");
        assertThat(String.valueOf(files.get(0).get("reason"))).contains("no order fits");
        assertThat(objects(files.get(0).get("fixes"))).anySatisfy(fix -> assertThat(fix)
                .containsOnlyKeys("fix", "verdict", "interleavings")
                .containsEntry("fix", "FOR NO KEY UPDATE on the reads")
                .containsEntry("verdict", "PROVED"));
        assertThat(files.get(1)).containsEntry("verdict", "PROVED").containsEntry("schedule", List.of());
        assertThat(files.get(2)).containsEntry("verdict", "ERROR").containsEntry("interleavings", 0);
        assertThat(String.valueOf(files.get(2).get("reason"))).startsWith(bad + ":3: ");
    }

    @Test
    void prove_reportOfSeveralFiles_writesAPageAFileAnIndexAndTheRecord() throws IOException {
        Path report = folder.resolve("report");
        Path good = spec("good", "# <tags> & \"quotes\"\n" + TWO_READERS);
        Path bad = spec("bad", "session s1\n");

        Run run = prove(OVERSELL, good.toString(), bad.toString(), "--report", report.toString());

        assertThat(run.err())
                .isEqualTo("the report is in " + report.resolve("index.html").toUri() + "\n");
        assertThat(run.out()).contains("again tiebreak prove --replay " + report.resolve("oversell.replay"));
        try (var files = Files.list(report)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "bad.html", "good.html", "index.html", "oversell.html", "oversell.replay");
        }
        assertThat(report.resolve("index.html"))
                .content()
                .contains("href=\"oversell.html\"", "href=\"good.html\"", "1 proved, 1 violated, 1 error");
        assertThat(report.resolve("oversell.html")).content().contains("tea sale, naive", "--replay");
        assertThat(report.resolve("good.html")).content().contains("PROVED", "&lt;tags&gt; &amp; &quot;quotes&quot;");
        assertThat(report.resolve("bad.html")).content().contains("ERROR", "bad.spec:");
        for (String page : List.of("bad", "good", "index", "oversell")) {
            assertThat(report.resolve(page + ".html"))
                    .content()
                    .startsWithIgnoringCase("<!doctype html>")
                    .doesNotContain("http", "src=", "@import");
        }
    }

    @Test
    void prove_reportOfOneFile_needsNoIndex() throws IOException {
        Path report = folder.resolve("report");

        Run run = prove(spec("good", TWO_READERS), "--report", report.toString());

        assertThat(run.err())
                .isEqualTo("the report is in " + report.resolve("good.html").toUri() + "\n");
        assertThat(report.resolve("index.html")).doesNotExist();
    }

    @Test
    void guide_outputs_areWhatTheCommandPrints() throws IOException {
        Path guide = Path.of("../docs/guide/prove.md");
        List<String> blocks = Pattern.compile("^```text\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(guide))
                .results()
                .map(block -> block.group(1))
                .toList();

        assertThat(shown(prove(OVERSELL))).isEqualTo(shown(new Run(1, blocks.get(0), "")));
        assertThat(prove(OVERSELL, "--fixes").out()).contains(blocks.get(1));
    }

    /** An output as it looks wherever it was printed. */
    private static String shown(Run run) {
        return run.out()
                .replaceAll("(?m) --url .*$", "")
                .replaceAll("(?m)^(fixes|again) (\\./)?tiebreak", "$1 ./tiebreak")
                .replace("../examples/", "examples/")
                .replaceAll("--replay .*/(oversell)-[0-9a-f]{6}\\.replay", "--replay $1.replay");
    }

    // ---- Helpers.

    static final String TWO_READERS = """
            session s1
            step a { SELECT 1; }
            session s2
            step b { SELECT 2; }
            """;

    private Path spec(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name + ".spec"), text);
    }

    private static Run prove(Path file, String... more) {
        String[] args = new String[more.length + 2];
        args[0] = "prove";
        args[1] = file.toString();
        System.arraycopy(more, 0, args, 2, more.length);
        return Run.on(url, args);
    }

    /** Runs the command that a line names, as a shell takes it. */
    private static Run pasted(String line) {
        String command = line.substring("again tiebreak ".length());
        return Run.tiebreak(List.of(command.split(" ", -1)).stream()
                .map(word -> word.replaceAll("^'|'$", ""))
                .toArray(String[]::new));
    }

    @SuppressWarnings("unchecked") // JSON objects are read as maps by name
    private static List<Map<String, Object>> objects(@Nullable Object list) {
        return (List<Map<String, Object>>) Objects.requireNonNull(list);
    }
}
