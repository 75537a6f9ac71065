package dev.tiebreak.art;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LongArtMapTest {
    private final NavigableMap<Long, Integer> expected = new TreeMap<>();
    private final SplittableRandom random = new SplittableRandom(11);

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 32})
    void randomCalls_onPrimitiveKeys_answerAsATreeMapDoes(int capacity) {
        LongArtMap<Integer> map = LongArtMap.create(new Capacities(capacity));
        for (int i = 0; i < 6_000; i++) {
            long key = random.nextBoolean() ? random.nextInt(300) : random.nextInt(300) * 0x0123_4567_89ABL - 9;
            write(map, key, i);
            read(map, key);
        }
        List<Map.Entry<Long, Integer>> seen = new ArrayList<>();
        map.forEach((key, value) -> seen.add(Map.entry(key, value)));
        assertThat(seen).containsExactlyElementsOf(expected.entrySet());
        seen.clear();
        map.forEachDescending((key, value) -> seen.add(Map.entry(key, value)));
        assertThat(seen).containsExactlyElementsOf(expected.descendingMap().entrySet());
        Shape.of((ArtMap<Long, Integer>) map.boxed());
        assertThat(map.boxed()).isEqualTo(expected);
        while (!expected.isEmpty()) {
            assertThat(map.pollFirstEntry()).isEqualTo(entry(expected.pollFirstEntry()));
            assertThat(map.pollLastEntry()).isEqualTo(entry(expected.pollLastEntry()));
        }
        assertThat(map.isEmpty()).isTrue();
    }

    private void write(LongArtMap<Integer> map, long key, int value) {
        switch (random.nextInt(12)) {
            case 0, 1 -> assertThat(map.put(key, value)).isEqualTo(expected.put(key, value));
            case 2 -> assertThat(map.putIfAbsent(key, value)).isEqualTo(expected.putIfAbsent(key, value));
            case 3, 4 -> assertThat(map.remove(key)).isEqualTo(expected.remove(key));
            case 5 -> {
                Integer present = expected.getOrDefault(key, -1);
                assertThat(map.remove(key, present)).isEqualTo(expected.remove(key, present));
                assertThat(map.remove(key, -2)).isFalse();
            }
            case 6 -> assertThat(map.replace(key, value)).isEqualTo(expected.replace(key, value));
            case 7 -> {
                Integer present = expected.getOrDefault(key, -1);
                assertThat(map.replace(key, present, value)).isEqualTo(expected.replace(key, present, value));
                assertThat(map.replace(key, -2, 7)).isFalse();
            }
            case 8 ->
                assertThat(map.compute(key, (k, v) -> next(k, v)))
                        .isEqualTo(expected.compute(key, (k, v) -> next(k, v)));
            case 9 ->
                assertThat(map.computeIfAbsent(key, k -> (int) k))
                        .isEqualTo(expected.computeIfAbsent(key, k -> (int) (long) k));
            case 10 ->
                assertThat(map.computeIfPresent(key, (k, v) -> next(k, v)))
                        .isEqualTo(expected.computeIfPresent(key, (k, v) -> next(k, v)));
            default ->
                assertThat(map.merge(key, value, (a, b) -> a % 3 == 0 ? null : a + b))
                        .isEqualTo(expected.merge(key, value, (a, b) -> a % 3 == 0 ? null : a + b));
        }
    }

    private static @Nullable Integer next(long key, @Nullable Integer value) {
        return value == null ? Integer.valueOf((int) key) : value % 2 == 0 ? null : Integer.valueOf(value + 1);
    }

    private void read(LongArtMap<Integer> map, long key) {
        assertThat(map.get(key)).isEqualTo(expected.get(key));
        assertThat(map.containsKey(key)).isEqualTo(expected.containsKey(key));
        assertThat(map.getOrDefault(key, -7)).isEqualTo(expected.getOrDefault(key, -7));
        assertThat(map.size()).isEqualTo(expected.size());
        assertThat(map.firstEntry()).isEqualTo(entry(expected.firstEntry()));
        assertThat(map.lastEntry()).isEqualTo(entry(expected.lastEntry()));
        assertThat(map.lowerEntry(key)).isEqualTo(entry(expected.lowerEntry(key)));
        assertThat(map.floorEntry(key)).isEqualTo(entry(expected.floorEntry(key)));
        assertThat(map.ceilingEntry(key)).isEqualTo(entry(expected.ceilingEntry(key)));
        assertThat(map.higherEntry(key)).isEqualTo(entry(expected.higherEntry(key)));
        List<Long> seen = new ArrayList<>();
        int limit = random.nextInt(8);
        assertThat(map.forEachFrom(key, limit, (k, v) -> seen.add(k))).isEqualTo(seen.size());
        assertThat(seen)
                .isEqualTo(expected.tailMap(key).keySet().stream().limit(limit).toList());
        seen.clear();
        assertThat(map.forEachDownFrom(key, limit, (k, v) -> seen.add(k))).isEqualTo(seen.size());
        assertThat(seen)
                .isEqualTo(expected.headMap(key, true).descendingKeySet().stream()
                        .limit(limit)
                        .toList());
        seen.clear();
        boolean low = random.nextBoolean();
        boolean high = random.nextBoolean();
        map.forEachInRange(key, low, key + 40, high, (k, v) -> seen.add(k));
        assertThat(seen)
                .isEqualTo(List.copyOf(expected.subMap(key, low, key + 40, high).keySet()));
    }

    private static LongArtMap.@Nullable Entry<Integer> entry(Map.@Nullable Entry<Long, Integer> entry) {
        return entry == null ? null : new LongArtMap.Entry<>(entry.getKey(), entry.getValue());
    }

    @Test
    void extremesOfLong_asKeys_areInOrder() {
        LongArtMap<String> map = LongArtMap.create(new Capacities(2));
        long[] keys = {Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, 0, 1, Long.MAX_VALUE - 1, Long.MAX_VALUE};
        for (long key : keys) {
            map.put(key, "v" + key);
        }
        List<Long> seen = new ArrayList<>();
        map.forEach((key, value) -> seen.add(key));
        assertThat(seen.stream().mapToLong(Long::longValue).toArray()).isEqualTo(keys);
    }

    @Test
    void serialization_roundTrip_keepsTheEntries() throws Exception {
        LongArtMap<String> map = LongArtMap.create();
        map.put(7, "seven");
        map.put(-7, "minus seven");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(map);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat(in.readObject()).isEqualTo(map).hasToString("{-7=minus seven, 7=seven}");
        }
    }

    @Test
    void compute_whenANeighbourWritesMeanwhile_doesNotRunItsFunctionAgain() {
        LongArtMap<Integer> map = LongArtMap.create();
        int[] calls = {0};
        map.compute(1, (key, value) -> {
            calls[0]++;
            map.put(2, 2);
            return 1;
        });
        assertThat(calls[0]).isEqualTo(1);
        assertThat(map).hasToString("{1=1, 2=2}");
    }
}
