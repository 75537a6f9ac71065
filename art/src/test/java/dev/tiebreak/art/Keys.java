package dev.tiebreak.art;

import java.io.Serializable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A set of distinct keys that is hard on a radix tree, with the order it must come out in.
 *
 * @param name what the keys are, for the name of a test
 * @param all every key once, in no order
 * @param order the order the map must keep, told without the codec
 */
record Keys<K>(String name, List<K> all, Comparator<? super K> order, KeyCodec<K> codec) {
    /** Text then number; many of the same text. */
    record Line(String order, long number) implements Serializable {}

    /** A number, then text of which one may be a prefix of another, then a number behind the end mark. */
    record Path(int shard, String name, double at) {}

    @Override
    public String toString() {
        return name;
    }

    static List<Keys<?>> everyKind() {
        return List.of(
                longs(),
                ints(),
                doubles(),
                randomLongs(),
                strings(),
                urls(),
                bytes(),
                uuids(),
                instants(),
                lines(),
                paths());
    }

    static Keys<Long> longs() {
        List<Long> keys = edges();
        for (long base : List.of(0L, 0x0102_0304_0506_0700L, Long.MIN_VALUE, -256L)) {
            for (int i = 0; i < 40; i++) {
                keys.add(base + i);
            }
        }
        return of("edge longs", keys, Comparator.naturalOrder(), KeyCodec.longs());
    }

    static Keys<Long> randomLongs() {
        List<Long> keys = new ArrayList<>();
        new SplittableRandom(3).longs(300).forEach(keys::add);
        return of("random longs", keys, Comparator.naturalOrder(), KeyCodec.longs());
    }

    static Keys<Integer> ints() {
        List<Integer> keys = new ArrayList<>(List.of(Integer.MIN_VALUE, Integer.MIN_VALUE + 1, Integer.MAX_VALUE, -1));
        for (int shift = 0; shift < Integer.SIZE; shift += 4) {
            keys.addAll(List.of(1 << shift, (1 << shift) - 1, -(1 << shift), (1 << shift) + 1));
        }
        for (int i = 0; i < 260; i++) {
            keys.add(i - 130);
        }
        return of("ints", keys, Comparator.naturalOrder(), KeyCodec.ints());
    }

    static Keys<Double> doubles() {
        List<Double> keys = new ArrayList<>(List.of(
                Double.NaN,
                Double.longBitsToDouble(0xFFF8_0000_0000_0001L),
                -0.0,
                0.0,
                Double.NEGATIVE_INFINITY,
                Double.POSITIVE_INFINITY,
                Double.MIN_VALUE,
                -Double.MIN_VALUE,
                Double.MIN_NORMAL,
                -Double.MIN_NORMAL,
                Double.MAX_VALUE,
                -Double.MAX_VALUE));
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 100; i++) {
            keys.add(Double.longBitsToDouble(random.nextLong()));
            keys.add((double) (i - 50));
            keys.add((i - 50) / 8.0);
        }
        return of("doubles", keys, Comparator.naturalOrder(), KeyCodec.doubles());
    }

    static Keys<String> strings() {
        return of("adversarial strings", texts(300), Comparator.naturalOrder(), KeyCodec.strings());
    }

    static Keys<String> urls() {
        List<String> keys = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(11);
        String[] sites = {"https://www.example.org/", "https://www.example.org/shop/", "https://api.example.com/v1/"};
        for (int i = 0; i < 300; i++) {
            String site = sites[random.nextInt(sites.length)];
            keys.add(site + random.nextInt(40) + "/" + Long.toString(random.nextLong(1 << 20), 36));
        }
        return of("urls", keys, Comparator.naturalOrder(), KeyCodec.strings());
    }

    static Keys<byte[]> bytes() {
        List<byte[]> keys = new ArrayList<>();
        keys.add(new byte[0]);
        byte[] letters = {0, 1, 'a', 'b', 0x7F, (byte) 0x80, (byte) 0xFD, (byte) 0xFE, (byte) 0xFF};
        SplittableRandom random = new SplittableRandom(13);
        for (int i = 0; i < 300; i++) {
            byte[] key = new byte[random.nextInt(12)];
            for (int j = 0; j < key.length; j++) {
                key[j] = letters[random.nextInt(letters.length)];
            }
            keys.add(key);
        }
        for (int length = 1; length < 20; length++) {
            byte[] ones = new byte[length];
            Arrays.fill(ones, (byte) 0xFF);
            keys.add(ones);
            keys.add(new byte[length]);
        }
        return of("byte arrays", keys, Arrays::compareUnsigned, KeyCodec.bytes());
    }

    static Keys<UUID> uuids() {
        List<UUID> keys = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(17);
        List<Long> edges = edges();
        for (int i = 0; i < 150; i++) {
            keys.add(new UUID(random.nextLong(), random.nextLong()));
            keys.add(new UUID(edges.get(random.nextInt(8)), edges.get(random.nextInt(edges.size()))));
        }
        return of("uuids", keys, Comparator.naturalOrder(), KeyCodec.uuids());
    }

    static Keys<Instant> instants() {
        List<Instant> keys =
                new ArrayList<>(List.of(Instant.MIN, Instant.MAX, Instant.EPOCH, Instant.EPOCH.minusNanos(1)));
        SplittableRandom random = new SplittableRandom(19);
        for (int i = 0; i < 250; i++) {
            keys.add(Instant.ofEpochSecond(random.nextInt(5) - 2, random.nextInt(1_000_000_000)));
            keys.add(Instant.ofEpochSecond(1_700_000_000L + i, i % 3));
        }
        return of("instants", keys, Comparator.naturalOrder(), KeyCodec.instants());
    }

    static Keys<Line> lines() {
        List<Line> keys = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(23);
        List<String> texts = texts(30);
        List<Long> edges = edges();
        for (int i = 0; i < 300; i++) {
            keys.add(new Line(texts.get(random.nextInt(texts.size())), edges.get(random.nextInt(edges.size()))));
        }
        return of(
                "text and number",
                keys,
                Comparator.comparing(Line::order).thenComparingLong(Line::number),
                KeyCodec.by(Line::order, KeyCodec.strings()).then(Line::number, KeyCodec.longs()));
    }

    static Keys<Path> paths() {
        List<Path> keys = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(29);
        List<String> texts = texts(60);
        for (int i = 0; i < 300; i++) {
            String text = texts.get(random.nextInt(texts.size()));
            keys.add(new Path(random.nextInt(3) - 1, text, random.nextInt(4) - 1.5));
        }
        return of(
                "number, text and double",
                keys,
                Comparator.comparingInt(Path::shard).thenComparing(Path::name).thenComparingDouble(Path::at),
                KeyCodec.by(Path::shard, KeyCodec.ints())
                        .then(Path::name, KeyCodec.strings())
                        .then(Path::at, KeyCodec.doubles()));
    }

    /** The ends of the range, and the neighbours of every power of 16 and its negative. */
    private static List<Long> edges() {
        List<Long> edges = new ArrayList<>();
        for (long edge : List.of(Long.MIN_VALUE, Long.MAX_VALUE, 0L)) {
            edges.addAll(List.of(edge - 1, edge, edge + 1));
        }
        for (int shift = 4; shift < Long.SIZE; shift += 4) {
            long power = 1L << shift;
            edges.addAll(List.of(power - 1, power, power + 1, -power, -power - 1, -power + 1));
        }
        return edges;
    }

    /** Strings one of which is often a prefix of another, with the units that an encoding may get wrong. */
    private static List<String> texts(int count) {
        List<String> texts = new ArrayList<>(List.of(
                "", "\0", "\0\0", "a", "a\0", "a\0\0", "aa", "ab", "\uFFFF", "\uFFFF\uFFFF", "\uD83D\uDE00", "\uD83D"));
        String[] pieces = {
            "\0",
            "\1",
            "a",
            "b",
            "ab",
            "\u007F",
            "\u0080",
            "\u00FC",
            "\u00FD",
            "\u00FE",
            "\u00FF",
            "\u0100",
            "\u01FF",
            "\uD83D\uDE00",
            "\uD83D",
            "\uDE00",
            "\uE000",
            "\uFFFF",
            "a common stretch",
            "another common stretch of text "
        };
        SplittableRandom random = new SplittableRandom(7);
        while (texts.size() < count) {
            String start = texts.get(random.nextInt(texts.size()));
            texts.add((start.length() > 40 ? "" : start) + pieces[random.nextInt(pieces.length)]);
        }
        return texts;
    }

    private static <K> Keys<K> of(String name, Collection<K> some, Comparator<? super K> order, KeyCodec<K> codec) {
        TreeSet<K> distinct = new TreeSet<>(order);
        distinct.addAll(some);
        return new Keys<>(name, List.copyOf(distinct), order, codec);
    }

    /** Some of the keys, drawn at random. */
    Keys<K> scattered(int count, long seed) {
        List<K> shuffled = new ArrayList<>(all);
        Collections.shuffle(shuffled, new Random(seed));
        return new Keys<>(name, shuffled.subList(0, Math.min(count, shuffled.size())), order, codec);
    }

    /** An equal key that is another object where the type allows it: a map must not tell keys by identity. */
    @SuppressWarnings("unchecked")
    static <K> K anew(K key) {
        return (K)
                switch (key) {
                    case String text -> new String(text.toCharArray());
                    case byte[] bytes -> bytes.clone();
                    case UUID uuid -> new UUID(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
                    case Line line -> new Line(anew(line.order), line.number);
                    case Path path -> new Path(path.shard, anew(path.name), path.at);
                    default -> key;
                };
    }
}
