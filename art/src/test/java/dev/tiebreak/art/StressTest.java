package dev.tiebreak.art;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class StressTest {
    private static final boolean DEEP = Boolean.getBoolean("tiebreak.deep");
    private static final long MILLIS = DEEP ? 60_000 : 1_500;

    static Stream<Arguments> cases() {
        return DEEP
                ? Stream.of(Keys.strings(), Keys.bytes(), Keys.longs(), Keys.randomLongs(), Keys.urls(), Keys.paths())
                        .flatMap(keys -> Stream.of(2, 3, 4, 0).map(bucket -> Arguments.of(keys, bucket)))
                : Stream.of(
                        Arguments.of(Keys.strings(), 2),
                        Arguments.of(Keys.longs(), 2),
                        Arguments.of(Keys.paths(), 3),
                        Arguments.of(Keys.urls(), 0),
                        Arguments.of(Keys.randomLongs(), 4));
    }

    @ParameterizedTest
    @MethodSource("cases")
    @Timeout(300)
    void writersAndScanners_together_seeNoKeyLostDoubledOrOutOfOrder(Keys<?> keys, int bucket) throws Exception {
        assertThat(faults(keys, bucket)).isEmpty();
    }

    private static <K> List<String> faults(Keys<K> keys, int bucket) throws InterruptedException {
        return new Stress<>(Maps.<K, Integer>of(keys.codec(), bucket), keys).run(3, MILLIS);
    }

    @Test
    void run_mapThatMovesAKeyInTwoSteps_isCaught() throws Exception {
        Keys<Long> keys = Keys.longs();
        assertThat(new Stress<>(new BrokenMaps.Moving<Long>(), keys).run(3, 10_000))
                .anyMatch(fault -> fault.matches("(?s).*(missed|found no|expected).*"));
    }

    @Test
    void run_skipList_isSound() throws Exception {
        assertThat(new Stress<>(new ConcurrentSkipListMap<>(), Keys.longs()).run(3, 500))
                .isEmpty();
    }
}
