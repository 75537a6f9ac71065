package dev.tiebreak.art;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@link Races} under jcstress, each in JVMs of their own. */
class RacesTest {
    private static final boolean DEEP = Boolean.getBoolean("tiebreak.deep");
    private static final String[] RACES = {
        "InsertVersusFreeze", "OverwriteVersusCopy", "RemoveVersusSplit", "BurstVersusBurst", "ScanVersusSplit"
    };

    @TempDir
    Path folder;

    @Test
    @Timeout(600)
    void races_underJcstress_haveNoForbiddenOutcome() throws Exception {
        List<String> length = DEEP ? List.of("-m", "default") : List.of("-f", "1", "-iters", "1", "-time", "400");
        String output = run("(" + String.join("|", RACES) + ")", length);
        assertThat(output).contains(RACES).contains("Failed tests: No matches.", "Error tests: No matches.");
        assertThat(output).contains("All remaining tests: " + RACES.length + " matching test results.");
    }

    @Test
    @Timeout(210)
    void race_tableCopiedWithoutFreezing_isForbidden() throws Exception {
        assertThat(run("BrokenOnPurpose", List.of("-f", "1", "-iters", "2", "-time", "500")))
                .contains("[FAILED]")
                .contains("an insertion is lost");
    }

    private String run(String races, List<String> length) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-t",
                "Races." + races + "$"));
        command.addAll(length);
        // One JVM configuration in a short run; a thread an actor; nothing pinned, for other tests may run beside it.
        command.addAll(DEEP ? List.of() : List.of("-jvmArgs", "-Xmx256m"));
        command.addAll(List.of(
                "-c",
                "2",
                "-sc",
                "false",
                "-af",
                "NONE",
                "-r",
                folder.resolve("report").toString()));
        Process process = new ProcessBuilder(command)
                .directory(Files.createDirectories(folder.resolve("run")).toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(DEEP ? 590 : 200, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(output);
    }
}
