package dev.tiebreak.app.prove;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(10)
class RecordsTest {
    private static List<String> names(String... files) {
        List<Path> paths = List.of(files).stream().map(Path::of).toList();
        Records records = new Records(paths, null);
        return paths.stream().map(records::name).toList();
    }

    @Test
    void name_ofOneFile_isItsOwn() {
        assertThat(names("races/Oversell.spec")).containsExactly("oversell");
    }

    @Test
    void name_sameInTwoFolders_hasTheFoldersToo() {
        assertThat(names("/a/race.spec", "/b/race.spec", "/b/other.spec")).containsExactly("a-race", "b-race", "other");
    }

    @Test
    void name_ofTheIndex_isNotTaken() {
        assertThat(names("/a/index.spec")).containsExactly("a-index");
    }

    @Test
    void name_differingInCaseAlone_isNumbered() {
        assertThat(names("/a/Race.spec", "/a/race.spec")).containsExactly("race-2", "race-3");
    }

    @Test
    void name_withAFolderLikeAnothersOwn_isDistinct() {
        assertThat(names("/x/b-c.spec", "/y/b/c.spec", "/z/q/c.spec")).doesNotHaveDuplicates();
    }

    @Test
    void files_namedInTwoWays_areProvedOnce(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("a.spec"), "");

        assertThat(SpecFiles.in(List.of(file, folder.resolve("./a.spec"), folder)))
                .containsExactly(file);
    }
}
