package dev.tiebreak.art;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the same random steps on a map and on a {@link ConcurrentSkipListMap} and compares every answer.
 *
 * <p>A step is drawn from its own seed and from nothing else, so that a failing run can be shortened by leaving steps
 * out: what {@link #check} reports is a shortest list of steps found to end in different answers.
 */
final class Differential<K> {
    private static final int STEPS_BETWEEN_FULL_COMPARISONS = 512;

    private final List<K> keys;
    private final Supplier<ConcurrentNavigableMap<K, Integer>> expected;
    private final Supplier<ConcurrentNavigableMap<K, Integer>> actual;

    Differential(Keys<K> keys, Supplier<ConcurrentNavigableMap<K, Integer>> actual) {
        this.keys = keys.all();
        this.expected = () -> new ConcurrentSkipListMap<>(keys.order());
        this.actual = actual;
    }

    /** Runs {@code steps} steps; fails with a shortest reproduction if any answer differs. */
    void check(long seed, int steps) {
        long[] seeds = new SplittableRandom(seed).longs(steps).toArray();
        int failed = firstDifference(seeds, steps);
        if (failed < 0) {
            return;
        }
        long[] shortest = shortened(List.of(boxed(seeds, failed + 1)));
        throw new AssertionError("answers differ after seed " + seed + ", shortened from " + (failed + 1) + " steps to "
                + shortest.length + ":\n" + story(shortest));
    }

    private static Long[] boxed(long[] seeds, int count) {
        Long[] boxed = new Long[count];
        for (int i = 0; i < count; i++) {
            boxed[i] = seeds[i];
        }
        return boxed;
    }

    /** The index of the first step whose answer differs, or -1. */
    private int firstDifference(long[] seeds, int count) {
        ConcurrentNavigableMap<K, Integer> left = expected.get();
        ConcurrentNavigableMap<K, Integer> right = actual.get();
        for (int i = 0; i < count; i++) {
            Object wanted = answer(left, seeds[i], null);
            Object got = answer(right, seeds[i], null);
            boolean last = i == count - 1 || i % STEPS_BETWEEN_FULL_COMPARISONS == 0;
            if (!wanted.equals(got) || (last && !content(left).equals(content(right)))) {
                return i;
            }
        }
        return -1;
    }

    /** Leaves out ever smaller runs of steps for as long as the rest still ends in a difference. */
    private long[] shortened(List<Long> failing) {
        List<Long> steps = failing;
        for (int run = Math.max(1, steps.size() / 2); run >= 1; run /= 2) {
            for (int from = 0; from < steps.size(); ) {
                List<Long> fewer = new ArrayList<>(steps.subList(0, from));
                fewer.addAll(steps.subList(Math.min(steps.size(), from + run), steps.size()));
                long[] seeds = fewer.stream().mapToLong(Long::longValue).toArray();
                int failed = firstDifference(seeds, seeds.length);
                if (failed >= 0) {
                    steps = new ArrayList<>(fewer.subList(0, failed + 1));
                } else {
                    from += run;
                }
            }
        }
        return steps.stream().mapToLong(Long::longValue).toArray();
    }

    private String story(long[] seeds) {
        ConcurrentNavigableMap<K, Integer> left = expected.get();
        ConcurrentNavigableMap<K, Integer> right = actual.get();
        StringBuilder story = new StringBuilder();
        for (long seed : seeds) {
            Object wanted = answer(left, seed, story);
            Object got = answer(right, seed, null);
            story.append("\n    expected ").append(wanted);
            story.append(wanted.equals(got) ? "\n" : "\n    actual   " + got + "\n");
        }
        story.append("content\n    expected ").append(content(left));
        story.append("\n    actual   ").append(content(right));
        return story.toString();
    }

    /** The whole content, read in every way there is. */
    private static <K> List<Object> content(ConcurrentNavigableMap<K, Integer> map) {
        List<Object> content = new ArrayList<>();
        try {
            content.add(map.size());
            content.add(plain(map.entrySet()));
            content.add(plain(map.descendingMap().entrySet()));
            content.add(plain(map.keySet()));
            content.add(plain(map.values()));
        } catch (RuntimeException e) {
            content.add(e.toString());
        }
        return content;
    }

    private Object answer(ConcurrentNavigableMap<K, Integer> map, long seed, @Nullable StringBuilder story) {
        Step<K> step = new Step<>(keys, new SplittableRandom(seed), story);
        try {
            return step.run(map);
        } catch (IllegalArgumentException e) {
            return IllegalArgumentException.class;
        } catch (RuntimeException | AssertionError e) {
            return e.getClass();
        }
    }

    /** A value that can be compared with {@code equals} whatever the type of the keys. */
    static Object plain(@Nullable Object value) {
        if (value instanceof byte[] bytes) {
            return "0x" + HexFormat.of().formatHex(bytes);
        }
        if (value instanceof Map.Entry<?, ?> entry) {
            return List.of(plain(entry.getKey()), plain(entry.getValue()));
        }
        if (value instanceof Map<?, ?> map) {
            return plain(map.entrySet());
        }
        if (value instanceof Collection<?> elements) {
            List<Object> plain = new ArrayList<>();
            for (Object element : elements) {
                plain.add(plain(element));
            }
            return plain;
        }
        if (value instanceof Object[] elements) {
            return plain(List.of(elements));
        }
        return value == null ? "null" : value;
    }

    static <T> List<Object> rest(Iterator<T> iterator) {
        List<Object> rest = new ArrayList<>();
        iterator.forEachRemaining(element -> rest.add(plain(element)));
        return rest;
    }

    /** Every second element of a set, removed through its iterator. */
    static <T> Object thinned(Collection<T> elements, int phase) {
        List<Object> removed = new ArrayList<>();
        int i = phase;
        for (Iterator<T> each = elements.iterator(); each.hasNext(); ) {
            T element = each.next();
            if (i++ % 16 == 0) {
                removed.add(plain(element));
                each.remove();
            }
        }
        return removed;
    }

    static <K> NavigableSet<K> keysOf(ConcurrentNavigableMap<K, Integer> map, boolean down) {
        return down ? map.descendingKeySet() : map.navigableKeySet();
    }
}
