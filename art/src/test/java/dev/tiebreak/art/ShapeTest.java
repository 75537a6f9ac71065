package dev.tiebreak.art;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShapeTest {
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 32})
    void randomWrites_atAnyCapacity_keepTheTreeWellFormed(int capacity) {
        check(capacity, KeyCodec.longs(), i -> (long) i * i * i);
        check(capacity, KeyCodec.strings(), i -> "a".repeat(i % 30) + (char) (i * 37));
        check(capacity, KeyCodec.uuids(), i -> new UUID(i / 20, i));
        check(capacity, KeyCodec.bytes(), i -> new byte[] {(byte) i, (byte) (i >> 8), (byte) i});
    }

    private static <K> void check(int capacity, KeyCodec<K> codec, IntFunction<K> key) {
        ArtMap<K, Integer> map = ArtMap.create(codec, new Capacities(capacity));
        SplittableRandom random = new SplittableRandom(capacity);
        for (int round = 0; round < 60; round++) {
            boolean growing = round % 20 < 10;
            for (int i = 0; i < 60; i++) {
                K own = key.apply(random.nextInt(1_000));
                if (random.nextInt(4) > 0 == growing) {
                    map.put(own, i);
                } else {
                    map.remove(own);
                }
            }
            Shape.of(map);
        }
    }

    @Test
    void remove_ofEverything_leavesNothingButTheEmptyRoot() {
        for (int capacity : new int[] {2, 4, 64}) {
            ArtMap<String, Integer> map = ArtMap.create(KeyCodec.strings(), new Capacities(capacity));
            List<String> keys = shuffled(
                    IntStream.range(0, 3_000).mapToObj(i -> "k" + i * 7919).toList());
            keys.forEach(key -> map.put(key, 1));
            assertThat(Shape.of(map).nodes).isPositive();

            shuffled(keys).forEach(map::remove);

            assertThat(Node.read(map.tree.root, 0)).isSameAs(KeyBucket.EMPTY);
        }
    }

    @Test
    void remove_ofMostEntries_givesTheirNodesAndBucketsBack() {
        ArtMap<Long, Integer> map = ArtMap.create(KeyCodec.longs());
        List<Long> keys = shuffled(new Random(1).longs(50_000).boxed().toList());
        keys.forEach(key -> map.put(key, 1));
        Shape full = Shape.of(map);

        keys.subList(1_000, keys.size()).forEach(map::remove);

        Shape rest = Shape.of(map);
        assertThat(rest.entries).isEqualTo(1_000);
        assertThat(rest.buckets).isLessThan(full.buckets / 10);
        assertThat(rest.nodes).isLessThan(full.nodes / 10);
    }

    @Test
    void removedKeyAndValue_afterwards_areGarbage() {
        ArtMap<String, Object> map = ArtMap.create(KeyCodec.strings(), new Capacities(2));
        List<WeakReference<Object>> removed = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            String key = new String("key" + i);
            Object value = new Object();
            map.put(key, value);
            if (i % 50 != 0) {
                removed.add(new WeakReference<>(key));
                removed.add(new WeakReference<>(value));
            }
        }
        for (int i = 0; i < 500; i++) {
            if (i % 50 != 0) {
                map.remove("key" + i);
            }
        }

        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (removed.stream().anyMatch(reference -> reference.get() != null) && System.nanoTime() < deadline) {
            System.gc();
        }
        assertThat(removed).allSatisfy(reference -> assertThat(reference.get()).isNull());
        assertThat(map).hasSize(10);
    }

    @Test
    void insertion_inOrderEitherWay_leavesBucketsFull() {
        for (boolean down : new boolean[] {false, true}) {
            LongArtMap<Integer> map = LongArtMap.create();
            for (long i = 0; i < 10_000; i++) {
                map.put(down ? -i : i, 1);
            }
            Shape shape = Shape.of((ArtMap<Long, Integer>) map.boxed());
            assertThat(shape.entries / shape.buckets).isGreaterThanOrEqualTo(28);
        }
    }

    @Test
    void insertion_atEverySize_leavesBucketsAtLeastHalfFull() {
        // What a burst by single bytes would not: it leaves 4 or 5 entries a bucket when all burst at once.
        LongArtMap<Integer> map = LongArtMap.create();
        ArtMap<Long, Integer> boxed = (ArtMap<Long, Integer>) map.boxed();
        SplittableRandom random = new SplittableRandom(5);
        for (int size = 0; size < 30_000; size++) {
            map.put(random.nextLong(), 1);
            if (size > 1_000 && size % 1_000 == 0) {
                Shape shape = Shape.of(boxed);
                assertThat((double) shape.entries / shape.buckets).isGreaterThan(14);
            }
        }
    }

    @Test
    void putAll_ofSortedEntriesIntoAnEmptyMap_buildsAWellFormedTree() {
        for (int capacity : new int[] {2, 3, 32}) {
            var source = new java.util.TreeMap<Long, Integer>();
            LongStream.range(0, 2_000).forEach(i -> source.put(i * i * i - 99, (int) i));
            ArtMap<Long, Integer> map = ArtMap.create(KeyCodec.longs(), new Capacities(capacity));

            map.putAll(source);

            assertThat(map).isEqualTo(source);
            assertThat(Shape.of(map).entries).isEqualTo(2_000);
        }
    }

    @Test
    void shape_ofABrokenTree_isFound() {
        ArtMap<Long, Integer> map = ArtMap.create(KeyCodec.longs());
        map.put(1L, 1);
        Object one = Node.read(map.tree.root, 0);
        // Key 1 has 0 at its first byte after the sign bit is flipped to 0x80, so it does not belong in the first run.
        assertThat(Node.compareAndSet(map.tree.root, 0, one, Node.of(0, one, 0x10, one)))
                .isTrue();

        assertThatThrownBy(() -> Shape.of(map)).isInstanceOf(AssertionError.class);
    }

    private static <T> List<T> shuffled(List<T> list) {
        List<T> copy = new ArrayList<>(list);
        Collections.shuffle(copy, new Random(3));
        return copy;
    }
}
