package dev.tiebreak.art;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class KeyCodecTest {
    private record Line(String order, int number) {}

    private static final KeyCodec<Line> LINES =
            KeyCodec.by(Line::order, KeyCodec.strings()).then(Line::number, KeyCodec.ints());

    @Test
    void everyCodec_betweenAnyTwoKeys_agreesWithTheirOrder() {
        check(
                KeyCodec.longs(),
                Comparator.naturalOrder(),
                List.of(Long.MIN_VALUE, -256L, -1L, 0L, 1L, 255L, 256L, Long.MAX_VALUE));
        check(
                KeyCodec.ints(),
                Comparator.naturalOrder(),
                List.of(Integer.MIN_VALUE, -1, 0, 1, 65_536, Integer.MAX_VALUE));
        check(
                KeyCodec.doubles(),
                Comparator.naturalOrder(),
                List.of(
                        Double.NEGATIVE_INFINITY,
                        -Double.MAX_VALUE,
                        -1.0,
                        -Double.MIN_VALUE,
                        -0.0,
                        0.0,
                        Double.MIN_VALUE,
                        1.0,
                        Double.POSITIVE_INFINITY,
                        Double.NaN));
        check(
                KeyCodec.strings(),
                Comparator.naturalOrder(),
                List.of(
                        "",
                        "\0",
                        "\0\0",
                        "a",
                        "a\0",
                        "ab",
                        "abcdefgh",
                        "abcdefghi",
                        "b",
                        "\u007f",
                        "\u0080",
                        "\u00fd",
                        "\u00fe",
                        "\u00ff",
                        "\u00ff\u00ff",
                        "\u0100",
                        "\u4e00\u4e01",
                        "\ud83d\ude00",
                        "\uffff"));
        check(
                KeyCodec.bytes(),
                Arrays::compareUnsigned,
                List.of(
                        new byte[0],
                        new byte[] {0},
                        new byte[] {0, 0},
                        new byte[] {1},
                        new byte[] {(byte) 0xfd},
                        new byte[] {(byte) 0xfe},
                        new byte[] {(byte) 0xff},
                        new byte[] {(byte) 0xff, 0},
                        new byte[] {(byte) 0xff, (byte) 0xff}));
        check(
                KeyCodec.uuids(),
                Comparator.naturalOrder(),
                List.of(new UUID(Long.MIN_VALUE, 0), new UUID(0, -1), new UUID(0, 0), new UUID(0, 1), new UUID(1, -5)));
        check(
                KeyCodec.instants(),
                Comparator.naturalOrder(),
                List.of(
                        Instant.MIN,
                        Instant.EPOCH.minusNanos(1),
                        Instant.EPOCH,
                        Instant.EPOCH.plusNanos(1),
                        Instant.MAX));
        check(
                LINES,
                Comparator.comparing(Line::order).thenComparingInt(Line::number),
                List.of(
                        new Line("", 0),
                        new Line("", 7),
                        new Line("a", -1),
                        new Line("a", 1),
                        new Line("a\0", 0),
                        new Line("ab", 0)));
    }

    private static <K> void check(KeyCodec<K> codec, Comparator<? super K> order, List<K> keys) {
        for (K a : keys) {
            for (K b : keys) {
                int expected = Integer.signum(order.compare(a, b));
                assertThat(Integer.signum(codec.compare(a, b))).isEqualTo(expected);
                assertThat(codec.same(a, b)).isEqualTo(expected == 0);
                int mismatch = codec.mismatch(a, b);
                assertThat(mismatch).isEqualTo(firstDifference(codec, a, b));
                for (int position = 0; position <= (mismatch < 0 ? codec.length(a) + 3 : mismatch); position++) {
                    int words = Long.compareUnsigned(codec.wordAt(a, position), codec.wordAt(b, position));
                    assertThat(words == 0 ? expected : Integer.signum(words))
                            .as("words at %s", position)
                            .isEqualTo(expected);
                }
            }
        }
    }

    private static <K> int firstDifference(KeyCodec<K> codec, K a, K b) {
        for (int position = 0; position < codec.length(a) + codec.length(b); position++) {
            if (codec.byteAt(a, position) != codec.byteAt(b, position)) {
                return position;
            }
        }
        return -1;
    }

    /** A key type of a user's own, with nothing but the two methods that have no default. */
    private record Version(int major, int minor) {}

    private static final class Versions implements KeyCodec<Version> {
        @Override
        public int length(Version key) {
            return 2;
        }

        @Override
        public int byteAt(Version key, int position) {
            return position == 0 ? key.major : position == 1 ? key.minor : 0;
        }
    }

    @Test
    void codecOfYourOwn_withTheTwoMethods_makesAMap() {
        ArtMap<Version, String> map = ArtMap.create(new Versions(), new Capacities(2));
        for (int i = 0; i < 200; i++) {
            map.put(new Version(i * 7 % 10, i * 3 % 20), "v" + i);
        }
        assertThat(map.firstKey()).isEqualTo(new Version(0, 0));
        assertThat(List.copyOf(map.keySet()))
                .isSortedAccordingTo(Comparator.comparingInt(Version::major).thenComparingInt(Version::minor));
        Shape.of(map);
    }

    @Test
    void prefixMap_ofStrings_holdsExactlyTheKeysWithThatPrefix() {
        ArtMap<String, Integer> map = ArtMap.create(KeyCodec.strings());
        List<String> keys = List.of("", "a", "ab", "abc", "ab\uffff", "ac", "\uffff", "\uffff\uffff");
        keys.forEach(key -> map.put(key, 1));
        for (String prefix : List.of("", "a", "ab", "ab\uffff", "b", "\uffff")) {
            assertThat(map.prefixMap(prefix).keySet())
                    .containsExactlyElementsOf(
                            keys.stream().filter(key -> key.startsWith(prefix)).toList());
        }
    }

    @Test
    void prefixMap_ofBytes_holdsExactlyTheKeysWithThatPrefix() {
        ArtMap<byte[], Integer> map = ArtMap.create(KeyCodec.bytes());
        for (byte[] key : new byte[][] {{}, {1}, {1, 2}, {1, -1}, {1, -1, 3}, {2}, {-1}, {-1, -1}}) {
            map.put(key, 1);
        }
        assertThat(map.prefixMap(new byte[] {1})).hasSize(4);
        assertThat(map.prefixMap(new byte[] {1, -1})).hasSize(2);
        assertThat(map.prefixMap(new byte[] {-1})).hasSize(2);
        assertThat(map.prefixMap(new byte[0])).hasSize(8);
    }

    @Test
    void prefixMap_ofKeysThatAreNoPrefixes_isRefused() {
        assertThatThrownBy(() -> ArtMap.create(KeyCodec.longs()).prefixMap(1L))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("strings or byte arrays");
    }

    @Test
    void copyOf_aMapInAnotherOrder_isRefusedWithTheReason() {
        var reversed = new java.util.TreeMap<String, Integer>(Comparator.reverseOrder());
        assertThatThrownBy(() -> ArtMap.copyOf(KeyCodec.strings(), reversed))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("comparator");
        var natural = new java.util.TreeMap<String, Integer>();
        natural.put("a", 1);
        assertThat(ArtMap.copyOf(KeyCodec.strings(), natural)).isEqualTo(natural);
    }

    @SuppressWarnings("NullAway") // on purpose
    @Test
    void nullKeysAndValues_areRefusedWithTheReason() {
        ArtMap<String, Integer> map = ArtMap.create(KeyCodec.strings());
        assertThatThrownBy(() -> map.put(null, 1))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("null key");
        assertThatThrownBy(() -> map.put("a", null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("null value");
    }
}
