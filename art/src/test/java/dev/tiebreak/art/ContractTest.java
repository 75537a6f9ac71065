package dev.tiebreak.art;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.testing.ConcurrentNavigableMapTestSuiteBuilder;
import com.google.common.collect.testing.Helpers;
import com.google.common.collect.testing.SampleElements;
import com.google.common.collect.testing.TestSortedMapGenerator;
import com.google.common.collect.testing.TestStringSortedMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import com.google.common.collect.testing.testers.MapEntrySetTester;
import dev.tiebreak.art.Keys.Line;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import junit.framework.TestResult;
import junit.framework.TestSuite;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Guava's contract suite for navigable concurrent maps, with every feature the map claims. */
class ContractTest {
    private static final boolean DEEP = Boolean.getBoolean("tiebreak.deep");

    /** The one thing not claimed: an entry does not write through, as the contract of navigable maps allows. */
    private static final List<Method> ENTRIES_ARE_SNAPSHOTS = List.of(
            Helpers.getMethod(MapEntrySetTester.class, "testSetValue"),
            Helpers.getMethod(MapEntrySetTester.class, "testSetValueWithNullValuesAbsent"),
            Helpers.getMethod(MapEntrySetTester.class, "testIteratorSetValueAndRemove"));

    @ParameterizedTest
    @MethodSource("stringCapacities")
    void contract_stringKeys_isKept(int bucket) {
        check(new Texts(bucket));
    }

    static IntStream stringCapacities() {
        return DEEP ? IntStream.of(0, 2, 3, 4) : IntStream.of(2);
    }

    @ParameterizedTest
    @MethodSource("longCapacities")
    void contract_longKeys_isKept(int bucket) {
        check(new Numbers(bucket));
    }

    static IntStream longCapacities() {
        return DEEP ? IntStream.of(0, 2, 3, 4) : IntStream.of(0);
    }

    @ParameterizedTest
    @MethodSource("compositeCapacities")
    void contract_compositeKeys_isKept(int bucket) {
        check(new Lines(bucket));
    }

    static IntStream compositeCapacities() {
        return DEEP ? IntStream.of(0, 2, 3, 4) : IntStream.of(3);
    }

    @Test
    void contract_mapThatForgetsWhatWasThere_isNotKept() {
        TestResult result = result(new TestStringSortedMapGenerator() {
            @Override
            protected SortedMap<String, String> create(Map.Entry<String, String>[] entries) {
                SortedMap<String, String> map = new Silent();
                Arrays.asList(entries).forEach(entry -> map.put(entry.getKey(), entry.getValue()));
                return map;
            }
        });
        assertThat(result.failureCount()).isPositive();
    }

    /** A map whose {@code replace} does not say what it replaced. */
    @SuppressWarnings("serial")
    private static final class Silent extends ConcurrentSkipListMap<String, String> {
        @Override
        public @Nullable String replace(String key, String value) {
            super.replace(key, value);
            return null;
        }
    }

    private static <K> void check(TestSortedMapGenerator<K, String> generator) {
        TestResult result = result(generator);
        assertThat(result.runCount()).isGreaterThan(1_000);
        assertThat(Stream.of(result.errors(), result.failures())
                        .flatMap(failures -> Collections.list(failures).stream())
                        .map(failure -> failure.failedTest() + ": " + failure.trace()))
                .isEmpty();
    }

    /** Runs the suite as one test: it holds too many to be reported one by one. */
    private static <K> TestResult result(TestSortedMapGenerator<K, String> generator) {
        TestSuite suite = ConcurrentNavigableMapTestSuiteBuilder.using(generator)
                .named("map")
                .withFeatures(
                        MapFeature.GENERAL_PURPOSE,
                        CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                        CollectionFeature.KNOWN_ORDER,
                        CollectionFeature.SERIALIZABLE,
                        CollectionSize.ANY)
                .suppressing(ENTRIES_ARE_SNAPSHOTS)
                .createTestSuite();
        TestResult result = new TestResult();
        suite.run(result);
        return result;
    }

    private static <K> SortedMap<K, String> filled(KeyCodec<K> codec, int bucket, List<Map.Entry<K, String>> entries) {
        ArtMap<K, String> map = Maps.of(codec, bucket);
        for (Map.Entry<K, String> entry : entries) {
            map.put(entry.getKey(), entry.getValue());
        }
        return map;
    }

    private static final class Texts extends TestStringSortedMapGenerator {
        private final int bucket;

        Texts(int bucket) {
            this.bucket = bucket;
        }

        @Override
        protected SortedMap<String, String> create(Map.Entry<String, String>[] entries) {
            return filled(KeyCodec.strings(), bucket, Arrays.asList(entries));
        }
    }

    private static final class Numbers extends Generator<Long> {
        Numbers(int bucket) {
            super(
                    KeyCodec.longs(),
                    bucket,
                    List.of(-7L, 0L, 3L, 0x1_0000_0000L, Long.MAX_VALUE - 9),
                    List.of(Long.MIN_VALUE, -9L, Long.MAX_VALUE - 1, Long.MAX_VALUE));
        }
    }

    private static final class Lines extends Generator<Line> {
        Lines(int bucket) {
            super(
                    KeyCodec.by(Line::order, KeyCodec.strings()).then(Line::number, KeyCodec.longs()),
                    bucket,
                    List.of(
                            new Line("a", -2),
                            new Line("a", 1),
                            new Line("aa", -5),
                            new Line("b", 0),
                            new Line("b\0", 0)),
                    List.of(new Line("", 0), new Line("a", -3), new Line("c", 0), new Line("c", 1)));
        }
    }

    /** Five sample keys in order, then two below and two above them. */
    private abstract static class Generator<K> implements TestSortedMapGenerator<K, String> {
        private final KeyCodec<K> codec;
        private final int bucket;
        private final List<K> samples;
        private final List<K> outside;

        Generator(KeyCodec<K> codec, int bucket, List<K> samples, List<K> outside) {
            this.codec = codec;
            this.bucket = bucket;
            this.samples = samples;
            this.outside = outside;
        }

        @Override
        public SampleElements<Map.Entry<K, String>> samples() {
            return new SampleElements<>(
                    entry(samples.get(0), "January"),
                    entry(samples.get(1), "February"),
                    entry(samples.get(2), "March"),
                    entry(samples.get(3), "April"),
                    entry(samples.get(4), "May"));
        }

        @Override
        @SuppressWarnings("unchecked")
        public SortedMap<K, String> create(Object... elements) {
            return filled(
                    codec,
                    bucket,
                    Stream.of(elements)
                            .map(element -> (Map.Entry<K, String>) element)
                            .toList());
        }

        @Override
        @SuppressWarnings("unchecked")
        public Map.Entry<K, String>[] createArray(int length) {
            return (Map.Entry<K, String>[]) new Map.Entry<?, ?>[length];
        }

        @Override
        @SuppressWarnings("unchecked")
        public K[] createKeyArray(int length) {
            return (K[]) Array.newInstance(samples.getFirst().getClass(), length);
        }

        @Override
        public String[] createValueArray(int length) {
            return new String[length];
        }

        @Override
        public Iterable<Map.Entry<K, String>> order(List<Map.Entry<K, String>> insertionOrder) {
            insertionOrder.sort((a, b) -> codec.compare(a.getKey(), b.getKey()));
            return insertionOrder;
        }

        @Override
        public Map.Entry<K, String> belowSamplesLesser() {
            return entry(outside.get(0), "below lesser");
        }

        @Override
        public Map.Entry<K, String> belowSamplesGreater() {
            return entry(outside.get(1), "below greater");
        }

        @Override
        public Map.Entry<K, String> aboveSamplesLesser() {
            return entry(outside.get(2), "above lesser");
        }

        @Override
        public Map.Entry<K, String> aboveSamplesGreater() {
            return entry(outside.get(3), "above greater");
        }

        private static <K> Map.Entry<K, String> entry(K key, String value) {
            return Helpers.mapEntry(key, value);
        }
    }
}
