package dev.tiebreak.art;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A thread that is stopped anywhere inside an operation stops nobody else. */
class StoppedThreadTest {
    private static final int KEYS = 40;

    /** Stops one thread before the n-th time it does a step. */
    private static final class Stop implements Probe {
        private final Step step;
        private int left;
        private volatile @Nullable Thread victim;
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        Stop(Step step, int nth) {
            this.step = step;
            this.left = nth;
        }

        @Override
        public void before(Step next) {
            if (Thread.currentThread() == victim && next == step && --left == 0) {
                stopped.countDown();
                try {
                    released.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Probe.Step.class)
    void threadStopped_atEveryNthStep_stopsNobody(Probe.Step step) throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            int n = 1;
            while (stoppedAt(threads, step, n)) {
                n += n < 12 ? 1 : 17;
            }
            assertThat(n).as("times the step was met").isGreaterThan(12);
        }
    }

    /** False if the victim was through before it did the step that often. */
    private static boolean stoppedAt(ExecutorService threads, Probe.Step step, int nth) throws Exception {
        Stop stop = new Stop(step, nth);
        ArtMap<Long, Long> map = ArtMap.create(KeyCodec.longs(), new Capacities(2), stop);
        // Even keys are there; the victim puts odd ones in and removes both.
        LongStream.range(0, KEYS).forEach(i -> map.put(2 * i, i));
        Future<?> victim = threads.submit(() -> {
            stop.victim = Thread.currentThread();
            LongStream.range(0, KEYS).forEach(i -> map.put(2 * i + 1, i));
            LongStream.range(0, 2 * KEYS).forEach(map::remove);
            stop.victim = null;
            stop.stopped.countDown();
        });
        assertThat(stop.stopped.await(60, TimeUnit.SECONDS)).isTrue();
        boolean midway = stop.left == 0;

        Future<?> others = threads.submit(() -> {
            for (long i = 0; i < 2 * KEYS; i++) {
                map.get(i);
                map.put(1_000 + i, i);
                map.put(i, -i);
            }
            List<Long> seen = new ArrayList<>(map.keySet());
            assertThat(seen).isSorted().doesNotHaveDuplicates();
            assertThat(seen)
                    .containsAll(
                            LongStream.range(1_000, 1_000 + 2 * KEYS).boxed().toList());
            assertThat(new ArrayList<>(map.descendingKeySet())).isEqualTo(seen.reversed());
            assertThat(map.firstKey()).isLessThan(1_000);
            for (long i = 0; i < 2 * KEYS; i += 3) {
                assertThat(map.remove(1_000 + i)).isEqualTo(i);
            }
        });
        try {
            others.get(60, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            throw new AssertionError("stopped before " + step + " number " + nth, e);
        } finally {
            stop.released.countDown();
        }
        victim.get(60, TimeUnit.SECONDS);
        Map<Long, Long> upper = new TreeMap<>();
        LongStream.range(0, 2 * KEYS).filter(i -> i % 3 != 0).forEach(i -> upper.put(1_000 + i, i));
        assertThat(map.tailMap(1_000L)).isEqualTo(upper);
        Shape.of(map);
        return midway;
    }

    @Test
    void clear_whileAThreadIsInside_leavesAConsistentSize() throws Exception {
        for (int nth = 1; nth <= 12; nth++) {
            Stop stop = new Stop(Probe.Step.WRITE, nth);
            ArtMap<Long, Long> map = ArtMap.create(KeyCodec.longs(), new Capacities(2), stop);
            AtomicInteger cleared = new AtomicInteger();
            int left;
            try (ExecutorService threads = Executors.newCachedThreadPool()) {
                Future<?> victim = threads.submit(() -> {
                    stop.victim = Thread.currentThread();
                    for (long i = 0; i < KEYS; i++) {
                        map.put(i, i);
                        cleared.incrementAndGet();
                    }
                });
                assertThat(stop.stopped.await(60, TimeUnit.SECONDS)).isTrue();
                map.clear();
                left = KEYS - cleared.get();
                assertThat(map.get(0L)).isNull();
                stop.released.countDown();
                victim.get(60, TimeUnit.SECONDS);
            }
            assertThat(map.size()).isEqualTo(left);
            Shape.of(map);
        }
    }
}
