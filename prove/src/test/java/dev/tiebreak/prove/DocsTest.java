package dev.tiebreak.prove;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.prove.spec.Spec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the pages about the prover show is what it does. */
class DocsTest {
    private static final Path ROOT = Path.of("..");
    private static final String GUIDE = "docs/guide/prove.md";

    @ParameterizedTest
    @ValueSource(strings = {GUIDE, "docs/reference/spec-format.md"})
    void specBlocks_everyPage_areSpecs(String page) throws IOException {
        assertThat(blocks(page, "spec")).isNotEmpty().allSatisfy(text -> assertThat(
                        Spec.parse(page, text).sessions())
                .isNotEmpty());
    }

    @Test
    void guide_firstSpec_isTheExample() throws IOException {
        String example = Files.readString(ROOT.resolve("examples/oversell.spec"));
        String withoutComments =
                example.lines().filter(line -> !line.startsWith("# ")).collect(Collectors.joining("\n", "", "\n"));

        assertThat(blocks(GUIDE, "spec").getFirst()).isEqualTo(withoutComments);
    }

    private static List<String> blocks(String page, String language) throws IOException {
        Pattern block = Pattern.compile("^```" + language + "\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
        return block.matcher(Files.readString(ROOT.resolve(page)))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }
}
