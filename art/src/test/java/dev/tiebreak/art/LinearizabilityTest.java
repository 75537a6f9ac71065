package dev.tiebreak.art;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Lincheck: random scenarios of two and three threads, every answer compared with those of a {@link TreeMap} in every
 * order that is allowed; by model checking, which steers the interleaving, and by stress. Also whether a thread that is
 * stopped anywhere stops another.
 */
class LinearizabilityTest {
    private static final boolean DEEP = Boolean.getBoolean("tiebreak.deep");

    /** More iterations than any loop makes that ends: a codec goes over the characters of a key. */
    private static final int LONGEST_LOOP = 50;

    /** Classes whose objects never change: to switch threads inside their methods shows nothing. */
    private static final String[] IMMUTABLE = {
        "dev.tiebreak.art.Bucket",
        "dev.tiebreak.art.KeyBucket",
        "dev.tiebreak.art.LongBucket",
        "dev.tiebreak.art.KeyCodec",
        "dev.tiebreak.art.Strings",
        "dev.tiebreak.art.Codecs$Longs",
        "dev.tiebreak.art.Codecs$LongImage",
        "dev.tiebreak.art.Range"
    };

    static Stream<Class<?>> scenarios() {
        return DEEP
                ? Stream.of(Texts2.class, Texts3.class, Texts4.class, Longs2.class, Longs3.class, Longs4.class)
                : Stream.of(Texts2.class, Longs2.class);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void operations_modelChecked_areLinearizableAndObstructionFree(Class<?> scenario) {
        modelChecking(DEEP ? 150 : 8, DEEP ? 2_000 : 250).check(scenario);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void operations_underStress_areLinearizable(Class<?> scenario) {
        sized(new StressOptions(), DEEP ? 100 : 10, DEEP ? 5_000 : 200).check(scenario);
    }

    @Test
    void operations_nodeCopiedWithoutFreezing_areCaught() {
        assertThatThrownBy(() -> modelChecking(50, 500).check(Unfrozen.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }

    @Test
    void operations_behindALock_areCaughtAsObstructing() {
        assertThatThrownBy(() -> modelChecking(50, 500).check(Locked.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("should be non-blocking, but a lock is detected");
    }

    private static ModelCheckingOptions modelChecking(int iterations, int invocations) {
        return sized(new ModelCheckingOptions(), iterations, invocations)
                .checkObstructionFreedom(true)
                .loopIterationsBeforeThreadSwitch(LONGEST_LOOP)
                .loopBound(LONGEST_LOOP)
                .addGuarantee(forClasses(IMMUTABLE).allMethods().treatAsAtomic());
    }

    private static <O extends Options<O, ?>> O sized(O options, int iterations, int invocations) {
        return options.iterations(iterations)
                .invocationsPerIteration(invocations)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(5)
                .actorsAfter(3)
                .sequentialSpecification(Sequential.class);
    }

    /** The operations, on keys named by their place in the order. */
    @Param(name = "key", gen = IntGen.class, conf = "0:7")
    @Param(name = "value", gen = IntGen.class, conf = "1:3")
    abstract static class Scenario<K> {
        private final NavigableMap<K, Integer> map;
        private final K[] keys;

        Scenario(NavigableMap<K, Integer> map, K[] keys) {
            this.map = map;
            this.keys = keys;
        }

        @Operation
        public @Nullable Integer get(@Param(name = "key") int key) {
            return map.get(keys[key]);
        }

        @Operation
        public @Nullable Integer put(@Param(name = "key") int key, @Param(name = "value") int value) {
            return map.put(keys[key], value);
        }

        @Operation
        public @Nullable Integer insert(@Param(name = "key") int key, @Param(name = "value") int value) {
            return map.putIfAbsent(keys[key], value);
        }

        @Operation
        public @Nullable Integer remove(@Param(name = "key") int key) {
            return map.remove(keys[key]);
        }

        @Operation
        public @Nullable Integer take(@Param(name = "key") int key) {
            return map.remove(keys[key]);
        }

        @Operation
        public boolean removeValue(@Param(name = "key") int key, @Param(name = "value") int value) {
            return map.remove(keys[key], (Object) value);
        }

        @Operation
        public boolean replaceValue(@Param(name = "key") int key, @Param(name = "value") int value) {
            return map.replace(keys[key], value, value + 1);
        }

        @Operation
        public @Nullable Integer add(@Param(name = "key") int key, @Param(name = "value") int value) {
            return map.merge(keys[key], value, Integer::sum);
        }

        @Operation
        public int floor(@Param(name = "key") int key) {
            return place(map.floorEntry(keys[key]));
        }

        @Operation
        public int higher(@Param(name = "key") int key) {
            return place(map.higherEntry(keys[key]));
        }

        @Operation
        public int first() {
            return place(map.firstEntry());
        }

        @Operation
        public int last() {
            return place(map.lastEntry());
        }

        @Operation
        public void clear() {
            map.clear();
        }

        /** An entry as one number: its key's place and its value; -1 for none. */
        private int place(Map.@Nullable Entry<K, Integer> entry) {
            for (int i = 0; entry != null && i < keys.length; i++) {
                if (Objects.equals(keys[i], entry.getKey())) {
                    return 100 * i + entry.getValue();
                }
            }
            return -1;
        }
    }

    /** Prefixes of each other, one stretch in common, and both ends of the first unit. */
    abstract static class Texts extends Scenario<String> {
        Texts(int bucket) {
            super(
                    Maps.of(KeyCodec.strings(), bucket),
                    new String[] {"", "a", "ab", "ab common", "ab commot", "b", "\u00FF", "\uFFFF"});
        }
    }

    /** Neighbours in the last byte, others that differ in the bytes before, and both ends. */
    abstract static class Longs extends Scenario<Long> {
        Longs(int bucket) {
            super(
                    Maps.of(KeyCodec.longs(), bucket),
                    new Long[] {Long.MIN_VALUE, -1L, 0L, 1L, 2L, 256L, 1L << 40, Long.MAX_VALUE});
        }
    }

    public static class Texts2 extends Texts {
        public Texts2() {
            super(2);
        }
    }

    public static class Texts3 extends Texts {
        public Texts3() {
            super(3);
        }
    }

    public static class Texts4 extends Texts {
        public Texts4() {
            super(4);
        }
    }

    public static class Longs2 extends Longs {
        public Longs2() {
            super(2);
        }
    }

    public static class Longs3 extends Longs {
        public Longs3() {
            super(3);
        }
    }

    public static class Longs4 extends Longs {
        public Longs4() {
            super(4);
        }
    }

    /** What the answers are compared with. */
    public static class Sequential extends Scenario<Integer> {
        public Sequential() {
            super(new TreeMap<>(), new Integer[] {0, 1, 2, 3, 4, 5, 6, 7});
        }
    }

    /** A map that grows its table without freezing it first. */
    public static class Unfrozen extends Scenario<Integer> {
        public Unfrozen() {
            super(new BrokenMaps.Unfrozen(), new Integer[] {0, 1, 2, 3, 4, 5, 6, 7});
        }
    }

    /** A map that is right, and stops everybody while one thread is stopped. */
    public static class Locked extends Scenario<Integer> {
        public Locked() {
            super(new BrokenMaps.Locked<>(), new Integer[] {0, 1, 2, 3, 4, 5, 6, 7});
        }
    }
}
