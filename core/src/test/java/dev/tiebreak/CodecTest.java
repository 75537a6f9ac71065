package dev.tiebreak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CodecTest {
    @Test
    void text_anyText_comesBack() {
        String text = "Tee, 茶, \uD83C\uDF75, \0 and\nmore";

        assertThat(Codec.text().decode(Codec.text().encode(text))).isEqualTo(text);
    }

    @Test
    void bytes_areCopiedBothWays() {
        byte[] given = {1, 2};
        byte[] stored = Codec.bytes().encode(given);
        given[0] = 9;
        byte[] read = Codec.bytes().decode(stored);
        stored[0] = 8;

        assertThat(read).containsExactly(1, 2);
    }

    @Test
    void of_twoLambdas_goThroughText() {
        Codec<Integer> codec = Codec.of(n -> "n" + n, s -> Integer.valueOf(s.substring(1)));

        assertThat(codec.encode(42)).asString().isEqualTo("n42");
        assertThat(codec.decode(codec.encode(42))).isEqualTo(42);
    }
}
