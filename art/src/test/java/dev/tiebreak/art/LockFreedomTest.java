package dev.tiebreak.art;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A thread stopped before any of its steps stops nobody else's get, put, remove or scan. */
class LockFreedomTest {
    private static final int ROUNDS = Boolean.getBoolean("tiebreak.deep") ? 2_000 : 60;

    /** Stops the first thread that asks to be stopped, before its {@code n}-th step. */
    private static final class Stop implements Probe {
        final CountDownLatch reached = new CountDownLatch(1);
        final CountDownLatch released = new CountDownLatch(1);
        private volatile @Nullable Thread victim;
        private int stepsLeft;
        private volatile @Nullable Step stoppedAt;

        void arm(int steps) {
            stepsLeft = steps;
            victim = Thread.currentThread();
        }

        @Override
        public void before(Step step) {
            if (Thread.currentThread() != victim || stepsLeft-- > 0) {
                return;
            }
            victim = null;
            stoppedAt = step;
            reached.countDown();
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static List<Keys<?>> kinds() {
        return List.of(Keys.strings(), Keys.longs(), Keys.paths());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void operations_whileAThreadIsStoppedAnywhere_goOn(Keys<?> keys) throws Exception {
        Set<Probe.Step> stopped = EnumSet.noneOf(Probe.Step.class);
        for (int round = 0; round < ROUNDS; round++) {
            stopAtEveryStep(keys.scattered(12, round), round, stopped);
        }
        assertThat(stopped).containsExactlyInAnyOrder(Probe.Step.values());
    }

    private static <K> void stopAtEveryStep(Keys<K> keys, int round, Set<Probe.Step> stopped) throws Exception {
        for (int steps = 0; ; steps++) {
            Stop stop = new Stop();
            Probe.Step at = check(
                    keys, stop, ArtMap.create(keys.codec(), new Capacities(2 + round % 3), stop), round, steps, 20);
            if (at == null) {
                return;
            }
            stopped.add(at);
        }
    }

    @Test
    void check_mapBehindALock_isCaught() {
        Keys<Long> keys = Keys.longs().scattered(12, 1);
        Stop stop = new Stop();

        assertThatThrownBy(() -> check(keys, stop, new BrokenMaps.Locked<>(stop), 1, 0, 1))
                .isInstanceOf(TimeoutException.class);
    }

    /**
     * Stops a thread before one step of a put or remove, does everything that others may do, lets the thread go on, and
     * compares the content. The step it was stopped at, null if it made fewer.
     */
    private static <K> Probe.@Nullable Step check(
            Keys<K> keys, Stop stop, NavigableMap<K, Integer> map, int round, int steps, int patience)
            throws Exception {
        SplittableRandom random = new SplittableRandom(round);
        TreeMap<K, Integer> model = new TreeMap<>(keys.order());
        for (K key : keys.all()) {
            if (random.nextInt(3) > 0) {
                map.put(key, 0);
                model.put(key, 0);
            }
        }
        K disputed = keys.all().get(random.nextInt(keys.all().size()));
        boolean putting = !model.containsKey(disputed);
        CompletableFuture<Void> victim = started(() -> {
            stop.arm(steps);
            Integer before = putting ? map.put(disputed, 7) : map.remove(disputed);
            assertThat(before).isEqualTo(putting ? null : (Integer) 0);
            stop.reached.countDown();
        });
        assertThat(stop.reached.await(20, TimeUnit.SECONDS)).isTrue();
        Probe.Step at = stop.stoppedAt;

        List<K> others = new ArrayList<>(keys.all());
        others.remove(disputed);
        started(() -> others.forEach(key -> compare(map, model, key, random))).get(patience, TimeUnit.SECONDS);

        stop.released.countDown();
        victim.get(20, TimeUnit.SECONDS);
        if (putting) {
            model.put(disputed, 7);
        } else {
            model.remove(disputed);
        }
        assertThat(Differential.plain(map)).isEqualTo(Differential.plain(model));
        assertThat(map).hasSize(model.size());
        return at;
    }

    /** What the others do: every operation on a key, compared with the model; and a scan that must meet the key. */
    private static <K> void compare(
            NavigableMap<K, Integer> map, NavigableMap<K, Integer> model, K key, SplittableRandom random) {
        int value = random.nextInt(100);
        assertThat(map.get(key)).isEqualTo(model.get(key));
        assertThat(map.put(key, value)).isEqualTo(model.put(key, value));
        assertThat(map.floorKey(key)).isEqualTo(key);
        List<Object> seen = Differential.rest(map.keySet().iterator());
        assertThat(seen).contains(Differential.plain(key));
        if (random.nextBoolean()) {
            assertThat(map.remove(key)).isEqualTo(model.remove(key));
            assertThat(map.get(key)).isNull();
        }
        assertThat(map.putIfAbsent(key, 3)).isEqualTo(model.putIfAbsent(key, 3));
    }

    private static CompletableFuture<Void> started(Runnable work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }
}
