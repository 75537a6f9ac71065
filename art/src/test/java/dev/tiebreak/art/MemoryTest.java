package dev.tiebreak.art;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What was removed is given back: nodes, buckets, keys and values. */
class MemoryTest {
    private static final int COUNT = 20_000;

    static Stream<Arguments> keysAndCapacities() {
        SplittableRandom random = new SplittableRandom(1);
        List<String> texts = new ArrayList<>();
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            long number = random.nextLong();
            numbers.add(i % 2 == 0 ? number : i);
            texts.add("https://example.org/" + Long.toString(number >>> 40, 36) + "/" + i);
        }
        return Stream.of(2, 4, 0)
                .flatMap(bucket -> Stream.of(
                        Arguments.argumentSet("strings, capacity " + bucket, KeyCodec.strings(), texts, bucket),
                        Arguments.argumentSet("longs, capacity " + bucket, KeyCodec.longs(), numbers, bucket)));
    }

    @ParameterizedTest
    @MethodSource("keysAndCapacities")
    <K> void remove_everything_leavesWhatAnEmptyMapHas(KeyCodec<K> codec, List<K> keys, int bucket) {
        ArtMap<K, Object> map = Maps.of(codec, bucket);
        long empty = Footprint.of(map);
        keys.forEach(key -> map.put(key, "value"));
        assertThat(Footprint.of(map)).isGreaterThan(empty + COUNT);

        List<K> shuffled = new ArrayList<>(keys);
        Collections.shuffle(shuffled, new Random(2));
        shuffled.forEach(map::remove);

        assertThat(map).isEmpty();
        assertThat(Footprint.of(map)).isLessThanOrEqualTo(empty);
    }

    @ParameterizedTest
    @MethodSource("keysAndCapacities")
    <K> void remove_mostOfIt_leavesLittleMoreThanAMapOfTheRest(KeyCodec<K> codec, List<K> keys, int bucket) {
        ArtMap<K, Object> map = Maps.of(codec, bucket);
        ArtMap<K, Object> fresh = Maps.of(codec, bucket);
        keys.forEach(key -> map.put(key, "value"));
        for (int i = 0; i < keys.size(); i++) {
            if (i % 20 == 0) {
                fresh.put(keys.get(i), "value");
            } else {
                map.remove(keys.get(i));
            }
        }
        assertThat(Footprint.of(map)).isLessThan(2 * Footprint.of(fresh));
    }

    @ParameterizedTest
    @MethodSource("keysAndCapacities")
    <K> void remove_everythingByFourThreads_leavesLittle(KeyCodec<K> codec, List<K> keys, int bucket) throws Exception {
        ArtMap<K, Object> map = Maps.of(codec, bucket);
        keys.forEach(key -> map.put(key, "value"));
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int mine = t;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = mine; i < keys.size(); i += 4) {
                    map.remove(keys.get(i));
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(map).isEmpty();
        // A removal that meets another's replacement leaves its bucket to the next one that comes by.
        assertThat(Footprint.of(map)).isLessThan(2_000);
    }

    @Test
    void remove_keysAndValues_areCollected() throws Exception {
        for (int bucket : new int[] {2, 3, 0}) {
            ArtMap<String, Object> map = Maps.of(KeyCodec.strings(), bucket);
            List<WeakReference<Object>> removed = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                String key = "key " + i * 7919 % 2_000;
                Object value = new Object();
                map.put(key, value);
                if (i % 10 != 0) {
                    removed.add(new WeakReference<>(key));
                }
                removed.add(new WeakReference<>(value));
            }
            for (int i = 0; i < 2_000; i++) {
                String key = "key " + i * 7919 % 2_000;
                if (i % 10 == 0) {
                    map.put(key, "another value");
                } else {
                    map.remove(key);
                }
            }
            assertThat(uncollected(removed)).isEmpty();
            assertThat(map).hasSize(200);
        }
    }

    @Test
    void clear_keysAndValues_areCollected() throws Exception {
        ArtMap<String, Object> map = Maps.of(KeyCodec.strings(), 4);
        List<WeakReference<Object>> removed = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            String key = "key " + i;
            map.put(key, new Object());
            removed.add(new WeakReference<>(key));
        }
        map.clear();
        assertThat(uncollected(removed)).isEmpty();
        assertThat(map).isEmpty();
    }

    @Test
    void uncollected_keyThatIsHeld_isReported() throws Exception {
        String held = new String("held".toCharArray());
        assertThat(uncollected(List.of(new WeakReference<>(held)))).containsExactly(held);
    }

    /** What is left of the referents after a few collections. */
    private static List<Object> uncollected(List<WeakReference<Object>> references) throws InterruptedException {
        List<Object> left = List.of();
        for (int attempt = 0; attempt < 20; attempt++) {
            System.gc();
            left = references.stream()
                    .map(WeakReference::get)
                    .filter(Objects::nonNull)
                    .toList();
            if (left.isEmpty()) {
                break;
            }
        }
        return left;
    }

    /** The slots and fields of everything of this package, and of the arrays, that can be reached from an object. */
    private static final class Footprint {
        private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        private final ArrayDeque<Object> pending = new ArrayDeque<>();
        private long slots;

        static long of(Object root) {
            Footprint footprint = new Footprint();
            footprint.visit(root);
            while (!footprint.pending.isEmpty()) {
                footprint.expand(footprint.pending.pop());
            }
            return footprint.slots;
        }

        private void visit(@Nullable Object object) {
            if (object != null
                    && (object.getClass().isArray()
                            || object.getClass().getName().startsWith("dev.tiebreak.art."))
                    && seen.add(object)) {
                pending.push(object);
            }
        }

        private void expand(Object object) {
            if (object.getClass().isArray()) {
                slots += Array.getLength(object);
                if (object instanceof Object[] elements) {
                    for (Object element : elements) {
                        visit(element);
                    }
                }
                return;
            }
            for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
                for (Field field :
                        type.getName().startsWith("dev.tiebreak.art.") ? type.getDeclaredFields() : new Field[0]) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        slots++;
                        visit(content(field, object));
                    }
                }
            }
        }

        private static @Nullable Object content(Field field, Object object) {
            try {
                field.setAccessible(true);
                return field.get(object);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
