package dev.tiebreak.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "sale --bogus | tiebreak sale: unknown option --bogus",
                "sale --buyer 3 | did you mean --buyers",
                "sael | tiebreak: unknown argument sael",
                "sale extra | unknown argument extra",
                "sale --buyers many | 'many' is not an int",
                "sale --buyers 0 | --buyers is from 1 to 100000, not 0",
                "sale --units -1 | --units is from 1 to 1000000, not -1",
                "sale --attempts 0 | --attempts is from 1 to 10000, not 0",
                "sale --strategies hope | there is no strategy \"hope\"; choose from conditional, constraint",
                "sale --json no/such/folder/x.json | there is no folder",
                "sale --pg 14 | --pg 14 is not embedded; choose 15 to 18",
                "sale --pg 18 --url jdbc:postgresql://localhost/x | give one of them",
                "sale --url '' | --url is empty",
                "bench --clients 0 | --clients is from 1 to 100000, not 0",
                "bench --keys 0 | --keys is from 1 to 1000000, not 0",
                "bench --seconds 0 | --seconds is from 1 to 3600, not 0",
                "bench --repeats 0 | --repeats is from 1 to 1000, not 0",
                "bench --clients 32,x | 'x' is not an int",
                "plan | Missing required option: '--demand=N/TIME'",
                "plan --demand lots | not a demand: \"lots\"; give takes and time, such as 100000/60s",
                "plan --demand 0/s | not a demand",
                "plan --demand 5/s --keys 0 | --keys is from 1 to 1000000, not 0",
                "plan --demand 5/s --from no-such.json | there is no no-such.json; correct the path",
            })
    void run_badArguments_oneLineWhatAndWhatToDoExit3(String arguments, String expected) {
        String[] args = arguments.split(" ");
        for (int i = 0; i < args.length; i++) {
            args[i] = args[i].equals("''") ? "" : args[i];
        }
        Run run = Run.tiebreak(args);

        assertThat(run.complaint()).startsWith("tiebreak").contains(expected).doesNotContain("Exception");
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"prove", "sale", "bench", "plan"})
    void help_eachCommand_showsExamplesAndExitCodes(String command) {
        Run run = Run.tiebreak(command, "--help");

        assertThat(run.out())
                .contains("Examples:", "  tiebreak " + command, "Exit codes: 0", "--url", "--pg", "--verbose");
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
    }

    @Test
    void help_withoutCommand_listsTheCommands() {
        assertThat(Run.tiebreak().out()).contains("prove", "sale", "bench", "plan", "TIEBREAK_URL");
        assertThat(Run.tiebreak("--help").out()).isEqualTo(Run.tiebreak().out());
        assertThat(Run.tiebreak("--version").out()).contains("tiebreak");
    }

    @Test
    void run_verbose_showsTheStackTraceBehindTheComplaint() {
        Run run = Run.tiebreak("plan", "--demand", "lots", "--verbose");

        assertThat(run.err()).contains("not a demand", "Complaint", "\tat dev.tiebreak.app");
        assertThat(run.exitCode()).isEqualTo(3);
    }

    @Test
    void json_folderInsteadOfFile_isSaidBeforeAnythingRuns(@TempDir Path folder) {
        assertThat(Run.tiebreak("sale", "--json", folder.toString()).complaint())
                .contains("is a folder; name a file");
    }
}
