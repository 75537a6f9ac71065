package dev.tiebreak.art;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writers and scanners on one map at once.
 *
 * <p>A third of the keys stay for good; the others belong to one writer each, which knows what every answer about its
 * keys must be. Scanners go up and down through the whole and through ranges, and check that keys come in order, each
 * once, and that no key that stays is missed. In the end the content is exactly what the writers left.
 */
final class Stress<K> {
    private final ConcurrentNavigableMap<K, Integer> map;
    private final Keys<K> keys;
    private final Comparator<? super K> order;
    private final List<K> staying = new ArrayList<>();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final AtomicLong scans = new AtomicLong();
    private volatile boolean stopped;

    Stress(ConcurrentNavigableMap<K, Integer> map, Keys<K> keys) {
        this.map = map;
        this.keys = keys;
        this.order = keys.order();
    }

    /** Runs for a while; what was wrong, nothing if all is well. */
    List<String> run(int writers, long millis) throws InterruptedException {
        List<Writer> all = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
            all.add(new Writer(i));
        }
        int next = 0;
        for (int i = 0; i < keys.all().size(); i++) {
            K key = keys.all().get(i);
            if (i % 3 == 0) {
                staying.add(key);
                map.put(key, -1);
            } else {
                all.get(next++ % writers).own.add(key);
            }
        }
        staying.sort(order);
        List<Thread> threads = new ArrayList<>();
        all.forEach(writer -> threads.add(Thread.ofPlatform().start(guarded(writer))));
        threads.add(Thread.ofPlatform().start(guarded(() -> scan(1))));
        threads.add(Thread.ofPlatform().start(guarded(() -> scan(2))));
        long end = System.nanoTime() + millis * 1_000_000;
        for (Thread thread : threads) {
            thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
        }
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
        if (scans.get() == 0) {
            faults.add("no scan ended");
        }
        compareContent(all);
        return List.copyOf(faults);
    }

    private Runnable guarded(Runnable work) {
        return () -> {
            try {
                while (!stopped && faults.isEmpty()) {
                    work.run();
                }
            } catch (RuntimeException | Error e) {
                faults.add(e + " at " + List.of(e.getStackTrace()));
            }
        };
    }

    private void compareContent(List<Writer> writers) {
        TreeMap<K, Integer> expected = new TreeMap<>(order);
        staying.forEach(key -> expected.put(key, -1));
        writers.forEach(writer -> expected.putAll(writer.present));
        List<K> up = new ArrayList<>(map.keySet());
        List<K> down = new ArrayList<>(map.descendingKeySet());
        expect("size at the end", expected.size(), map.size());
        expect("keys upwards at the end", shown(expected.navigableKeySet()), shown(up));
        expect("keys downwards at the end", shown(expected.descendingKeySet()), shown(down));
        expected.forEach((key, value) -> {
            Integer got = map.get(key);
            if (value >= 0 || got == null) {
                expect("value at the end of " + Differential.plain(key), value, got);
            }
        });
    }

    private Object shown(Iterable<K> some) {
        List<Object> shown = new ArrayList<>();
        some.forEach(key -> shown.add(Differential.plain(key)));
        return shown;
    }

    private void expect(String what, @Nullable Object expected, @Nullable Object actual) {
        if (!Objects.equals(expected, actual)) {
            faults.add(what + ": expected " + expected + ", got " + actual);
        }
    }

    /** Changes its own keys, and overwrites those that stay. */
    private final class Writer implements Runnable {
        final List<K> own = new ArrayList<>();
        final TreeMap<K, Integer> present = new TreeMap<>(order);
        private final SplittableRandom random;
        private int clock;

        Writer(int seed) {
            random = new SplittableRandom(seed);
        }

        @Override
        public void run() {
            // In turn more insertions and more removals, so that the tree grows and shrinks.
            boolean growing = (clock++ >> 12) % 2 == 0;
            K key = Keys.anew(own.get(random.nextInt(own.size())));
            int value = random.nextInt(1000);
            int draw = random.nextInt(10);
            if (draw < (growing ? 5 : 2)) {
                expect("put " + key, present.put(key, value), map.put(key, value));
            } else if (draw < 7) {
                expect("remove " + key, present.remove(key), map.remove(key));
            } else if (draw == 7) {
                expect("merge " + key, present.merge(key, value, Integer::sum), map.merge(key, value, Integer::sum));
            } else if (draw == 8) {
                expect("get " + key, present.get(key), map.get(key));
            } else {
                K staysPut = staying.get(random.nextInt(staying.size()));
                if (map.replace(Keys.anew(staysPut), -1 - value) == null) {
                    faults.add("replace found no " + staysPut);
                }
            }
        }
    }

    private void scan(int seed) {
        SplittableRandom random = new SplittableRandom(seed + scans.incrementAndGet());
        int a = random.nextInt(staying.size());
        int b = random.nextInt(staying.size());
        boolean whole = random.nextBoolean();
        boolean down = random.nextBoolean();
        int low = whole ? 0 : Math.min(a, b);
        int high = whole ? staying.size() - 1 : Math.max(a, b);
        ConcurrentNavigableMap<K, Integer> range =
                whole ? map : map.subMap(staying.get(low), true, staying.get(high), true);
        ConcurrentNavigableMap<K, Integer> view = down ? range.descendingMap() : range;
        List<K> seen = new ArrayList<>();
        if (random.nextBoolean()) {
            view.forEach((key, value) -> seen.add(key));
        } else {
            for (Map.Entry<K, Integer> entry : view.entrySet()) {
                seen.add(entry.getKey());
            }
        }
        for (int i = 1; i < seen.size(); i++) {
            int step = order.compare(seen.get(i - 1), seen.get(i));
            if (down ? step <= 0 : step >= 0) {
                faults.add("out of order: " + Differential.plain(seen.get(i - 1)) + " then "
                        + Differential.plain(seen.get(i)));
            }
        }
        Set<Object> found = new HashSet<>();
        seen.forEach(key -> found.add(Differential.plain(key)));
        for (int i = low; i <= high; i++) {
            if (!found.contains(Differential.plain(staying.get(i)))) {
                faults.add("a scan " + (down ? "down" : "up") + " missed " + Differential.plain(staying.get(i))
                        + ", which was there throughout");
            }
        }
    }
}
