package dev.tiebreak.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextsTest {
    @Test
    void of_theSameShape_isWrittenOnce() {
        List<String> written = new ArrayList<>();
        Texts<List<String>> texts = new Texts<>(shape -> {
            written.add(shape.toString());
            return "SELECT " + shape;
        });
        for (int i = 0; i < 3; i++) {
            assertThat(texts.of(List.of("a"))).isEqualTo("SELECT [a]");
            assertThat(texts.of(List.of("a", "b"))).isEqualTo("SELECT [a, b]");
        }
        assertThat(written).containsExactly("[a]", "[a, b]");
    }

    @Test
    void of_moreShapesThanAreKept_startsAnewAndStaysRight() {
        List<Integer> written = new ArrayList<>();
        Texts<Integer> texts = new Texts<>(shape -> {
            written.add(shape);
            return "LIMIT " + shape;
        });
        for (int i = 0; i <= Texts.MOST; i++) {
            assertThat(texts.of(i)).isEqualTo("LIMIT " + i);
        }
        assertThat(texts.of(0)).isEqualTo("LIMIT 0");
        assertThat(written).hasSize(Texts.MOST + 2);
    }
}
