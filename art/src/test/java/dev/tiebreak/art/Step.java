package dev.tiebreak.art;

import static dev.tiebreak.art.Differential.keysOf;
import static dev.tiebreak.art.Differential.plain;
import static dev.tiebreak.art.Differential.rest;
import static dev.tiebreak.art.Differential.thinned;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Spliterator;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentNavigableMap;
import org.jspecify.annotations.Nullable;

/** One random operation on a random view of a map, drawn from {@code random} alone. */
final class Step<K> {
    private final List<K> keys;
    private final SplittableRandom random;
    private final @Nullable StringBuilder story;

    Step(List<K> keys, SplittableRandom random, @Nullable StringBuilder story) {
        this.keys = keys;
        this.random = random;
        this.story = story;
    }

    Object run(ConcurrentNavigableMap<K, Integer> map) {
        ConcurrentNavigableMap<K, Integer> view = map;
        for (int depth = 0; depth < 3 && random.nextInt(5) == 0; depth++) {
            view = narrowed(view);
        }
        int draw = random.nextInt(100);
        if (draw < 50) {
            return write(view);
        }
        if (draw < 80) {
            return read(view);
        }
        if (draw < 92) {
            return near(view);
        }
        return whole(view);
    }

    private ConcurrentNavigableMap<K, Integer> narrowed(ConcurrentNavigableMap<K, Integer> map) {
        K low = key();
        K high = key();
        boolean first = random.nextBoolean();
        boolean second = random.nextBoolean();
        return switch (random.nextInt(9)) {
            case 0, 1 -> {
                say("descendingMap");
                yield map.descendingMap();
            }
            case 2, 3 -> {
                say("subMap", low, first, high, second);
                yield map.subMap(low, first, high, second);
            }
            case 4 -> {
                say("subMap", low, high);
                yield map.subMap(low, high);
            }
            case 5 -> {
                say("headMap", low, first);
                yield map.headMap(low, first);
            }
            case 6 -> {
                say("headMap", low);
                yield map.headMap(low);
            }
            case 7 -> {
                say("tailMap", low, first);
                yield map.tailMap(low, first);
            }
            default -> {
                say("tailMap", low);
                yield map.tailMap(low);
            }
        };
    }

    private Object write(ConcurrentNavigableMap<K, Integer> map) {
        K key = key();
        int value = value();
        int other = value();
        int kind = random.nextInt(32);
        return switch (kind) {
            case 0, 1, 2, 3, 4, 5, 6, 7, 8 -> {
                say("put", key, value);
                yield plain(map.put(key, value));
            }
            case 9, 10, 11, 12, 13, 14, 15, 16 -> {
                say("remove", key);
                yield plain(map.remove(key));
            }
            case 17, 18, 19 -> {
                say("putIfAbsent", key, value);
                yield plain(map.putIfAbsent(key, value));
            }
            case 20 -> {
                say("remove", key, value);
                yield map.remove(key, (Object) value);
            }
            case 21 -> {
                say("replace", key, value);
                yield plain(map.replace(key, value));
            }
            case 22 -> {
                say("replace", key, value, other);
                yield map.replace(key, value, other);
            }
            case 23, 24 -> {
                say("compute: none -> value, even -> none, odd -> +1", key, value);
                yield plain(map.compute(key, (k, old) -> old == null ? (Integer) value : flipped(old)));
            }
            case 25 -> {
                say("computeIfPresent: even -> none, odd -> +1", key);
                yield plain(map.computeIfPresent(key, (k, old) -> flipped(old)));
            }
            case 26, 27 -> {
                say("computeIfAbsent: 0 -> none", key, value);
                yield plain(map.computeIfAbsent(key, k -> value == 0 ? null : (Integer) value));
            }
            case 28 -> {
                say("merge: even sum -> none", key, value);
                yield plain(map.merge(key, value, (a, b) -> (a + b) % 2 == 0 ? null : a + b));
            }
            case 29 -> {
                say("pollFirstEntry");
                yield plain(map.pollFirstEntry());
            }
            case 30 -> {
                say("pollLastEntry");
                yield plain(map.pollLastEntry());
            }
            default -> random.nextInt(8) == 0 ? bulk(map) : plain(map.put(key, value));
        };
    }

    private static @Nullable Integer flipped(Integer old) {
        return old % 2 == 0 ? null : (Integer) (old + 1);
    }

    private Object bulk(ConcurrentNavigableMap<K, Integer> map) {
        int value = value();
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                Map<K, Integer> some = new LinkedHashMap<>();
                for (int i = random.nextInt(40); i > 0; i--) {
                    some.put(key(), value());
                }
                say("putAll", some);
                map.putAll(some);
            }
            case 2, 3 -> {
                TreeMap<K, Integer> sorted = new TreeMap<>(map.comparator());
                for (int i = random.nextInt(40); i > 0; i--) {
                    sorted.put(key(), value());
                }
                say("putAll sorted", sorted);
                map.putAll(sorted);
            }
            case 4 -> {
                say("replaceAll: +1");
                map.replaceAll((k, old) -> old + 1);
            }
            case 5 -> {
                say("values.removeIf equal", value);
                return map.values().removeIf(old -> old == value);
            }
            case 6 -> {
                say("entrySet.removeIf value above", value);
                return map.entrySet().removeIf(entry -> entry.getValue() > value);
            }
            default -> {
                if (random.nextInt(4) == 0) {
                    say("clear");
                    map.clear();
                } else {
                    say("keySet thinned through its iterator");
                    return thinned(map.keySet(), value);
                }
            }
        }
        return plain(map);
    }

    private Object read(ConcurrentNavigableMap<K, Integer> map) {
        K key = key();
        int value = value();
        return switch (random.nextInt(12)) {
            case 0, 1, 2, 3, 4, 5 -> {
                say("get", key);
                yield plain(map.get(key));
            }
            case 6 -> {
                say("getOrDefault", key, value);
                yield map.getOrDefault(key, value);
            }
            case 7, 8 -> {
                say("containsKey", key);
                yield map.containsKey(key);
            }
            case 9 -> {
                say("isEmpty");
                yield map.isEmpty();
            }
            case 10 -> {
                say("keySet.contains, keySet.remove", key);
                yield List.of(map.keySet().contains(key), map.keySet().remove(key));
            }
            default -> {
                say("entrySet.contains, entrySet.remove", key, value);
                Map.Entry<K, Integer> entry = Map.entry(key, value);
                yield List.of(map.entrySet().contains(entry), map.entrySet().remove(entry));
            }
        };
    }

    private Object near(ConcurrentNavigableMap<K, Integer> map) {
        K key = key();
        NavigableSet<K> set = keysOf(map, random.nextBoolean());
        return switch (random.nextInt(12)) {
            case 0 -> {
                say("floorEntry, floorKey", key);
                yield List.of(plain(map.floorEntry(key)), plain(map.floorKey(key)));
            }
            case 1 -> {
                say("lowerEntry, lowerKey", key);
                yield List.of(plain(map.lowerEntry(key)), plain(map.lowerKey(key)));
            }
            case 2 -> {
                say("ceilingEntry, ceilingKey", key);
                yield List.of(plain(map.ceilingEntry(key)), plain(map.ceilingKey(key)));
            }
            case 3 -> {
                say("higherEntry, higherKey", key);
                yield List.of(plain(map.higherEntry(key)), plain(map.higherKey(key)));
            }
            case 4 -> {
                say("firstEntry, lastEntry");
                yield List.of(plain(map.firstEntry()), plain(map.lastEntry()));
            }
            case 5 -> {
                say("firstKey");
                yield plain(map.firstKey());
            }
            case 6 -> {
                say("lastKey");
                yield plain(map.lastKey());
            }
            case 7 -> {
                say("key set floor, lower", key);
                yield List.of(plain(set.floor(key)), plain(set.lower(key)));
            }
            case 8 -> {
                say("key set ceiling, higher", key);
                yield List.of(plain(set.ceiling(key)), plain(set.higher(key)));
            }
            case 9 -> {
                say("key set first");
                yield plain(set.first());
            }
            case 10 -> {
                say("key set last");
                yield plain(set.last());
            }
            default -> {
                say("key set pollFirst");
                yield plain(set.pollFirst());
            }
        };
    }

    private Object whole(ConcurrentNavigableMap<K, Integer> map) {
        if (random.nextInt(8) != 0) {
            say("size");
            return map.size();
        }
        K key = key();
        boolean inclusive = random.nextBoolean();
        NavigableSet<K> set = keysOf(map, random.nextBoolean());
        return switch (random.nextInt(10)) {
            case 0 -> {
                say("entries");
                yield rest(map.entrySet().iterator());
            }
            case 1 -> {
                say("key set down");
                yield rest(set.descendingIterator());
            }
            case 2 -> {
                say("key set headSet", key, inclusive);
                yield plain(set.headSet(key, inclusive));
            }
            case 3 -> {
                say("key set tailSet descendingSet", key, inclusive);
                yield plain(set.tailSet(key, inclusive).descendingSet());
            }
            case 4 -> {
                say("forEach");
                List<Object> seen = new ArrayList<>();
                map.forEach((k, v) -> seen.add(List.of(plain(k), v)));
                yield seen;
            }
            case 5 -> {
                say("values, containsValue");
                yield List.of(plain(map.values()), map.containsValue(value()));
            }
            case 6 -> {
                say("entry spliterator");
                yield split(map.entrySet().spliterator(), 3);
            }
            case 7 -> {
                say("key spliterator");
                yield split(map.keySet().spliterator(), 3);
            }
            case 8 -> {
                say("value spliterator");
                yield split(map.values().spliterator(), 3);
            }
            default -> {
                say("toArray");
                yield plain(map.keySet().toArray());
            }
        };
    }

    /** Everything a spliterator gives, split {@code depth} times after the first element: what is split off comes first. */
    private static <T> List<Object> split(Spliterator<T> all, int depth) {
        List<Object> seen = new ArrayList<>();
        all.tryAdvance(element -> seen.add(plain(element)));
        @Nullable Spliterator<T> prefix = depth == 0 ? null : all.trySplit();
        if (prefix != null) {
            seen.addAll(split(prefix, depth - 1));
        }
        all.forEachRemaining(element -> seen.add(plain(element)));
        return seen;
    }

    private K key() {
        return Keys.anew(keys.get(random.nextInt(keys.size())));
    }

    private int value() {
        return random.nextInt(5);
    }

    private void say(String act, Object... arguments) {
        if (story != null) {
            story.append(story.isEmpty() || story.charAt(story.length() - 1) == '\n' ? "" : " . ");
            story.append(act).append(plain(arguments));
        }
    }
}
