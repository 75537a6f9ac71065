package dev.tiebreak.art;

import java.io.Serializable;
import java.util.AbstractMap;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An ordered concurrent map. */
@SuppressWarnings({"serial", "NullAway"})
public final class ArtMap<K, V> extends AbstractMap<K, V> implements ConcurrentNavigableMap<K, V>, Serializable {
    private final KeyCodec<K> codec;
    private final ConcurrentSkipListMap<K, V> map;

    private ArtMap(KeyCodec<K> codec) {
        this.codec = codec;
        this.map = codec.comparator() == null
                ? new ConcurrentSkipListMap<>()
                : new ConcurrentSkipListMap<K, V>(codec.comparator());
    }

    /** An empty map with keys ordered as the codec says. */
    public static <K, V> ArtMap<K, V> create(KeyCodec<K> codec) {
        return new ArtMap<>(codec);
    }

    /** For tests: with capacities of their own. */
    static <K, V> ArtMap<K, V> create(KeyCodec<K> codec, Capacities capacities) {
        return new ArtMap<>(codec);
    }

    /** For tests: told of every step. */
    static <K, V> ArtMap<K, V> create(KeyCodec<K> codec, Capacities capacities, Probe probe) {
        return new ArtMap<>(codec);
    }

    /** A map with what {@code source} holds. */
    public static <K, V> ArtMap<K, V> copyOf(KeyCodec<K> codec, SortedMap<K, ? extends V> source) {
        ArtMap<K, V> copy = create(codec);
        copy.putAll(source);
        return copy;
    }

    public ConcurrentNavigableMap<K, V> prefixMap(K prefix) {
        K end = codec.afterPrefix(prefix);
        return end == null ? map.tailMap(prefix) : map.subMap(prefix, end);
    }

    public void forEachInRange(
            K from, boolean fromInclusive, K to, boolean toInclusive, BiConsumer<? super K, ? super V> visitor) {
        map.subMap(from, fromInclusive, to, toInclusive).forEach(visitor);
    }

    /** Visits at most limit entries upwards from the first whose key is at least from; how many it visited. */
    public int forEachFrom(K from, int limit, BiConsumer<? super K, ? super V> visitor) {
        int n = 0;
        for (var e : map.tailMap(from).entrySet()) {
            if (n == limit) break;
            visitor.accept(e.getKey(), e.getValue());
            n++;
        }
        return n;
    }

    public int forEachDownFrom(K from, int limit, BiConsumer<? super K, ? super V> visitor) {
        int n = 0;
        for (var e : map.headMap(from, true).descendingMap().entrySet()) {
            if (n == limit) break;
            visitor.accept(e.getKey(), e.getValue());
            n++;
        }
        return n;
    }

    @Override
    public @Nullable V get(Object key) {
        return map.get(key);
    }

    @Override
    public boolean containsKey(Object key) {
        return map.containsKey(key);
    }

    @Override
    public @Nullable V put(K key, V value) {
        return map.put(key, value);
    }

    @Override
    public @Nullable V remove(Object key) {
        return map.remove(key);
    }

    @Override
    public int size() {
        return map.size();
    }

    @Override
    public boolean isEmpty() {
        return map.isEmpty();
    }

    @Override
    public void clear() {
        map.clear();
    }

    @Override
    public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> f) {
        return map.computeIfAbsent(key, f);
    }

    @Override
    public @Nullable V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends @Nullable V> f) {
        return map.computeIfPresent(key, f);
    }

    @Override
    public @Nullable V compute(K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> f) {
        return map.compute(key, f);
    }

    @Override
    public @Nullable V merge(K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> f) {
        return map.merge(key, value, f);
    }

    @Override
    public @Nullable V putIfAbsent(K key, V value) {
        return map.putIfAbsent(key, value);
    }

    @Override
    public boolean remove(Object key, Object value) {
        return map.remove(key, value);
    }

    @Override
    public boolean replace(K key, V oldValue, V newValue) {
        return map.replace(key, oldValue, newValue);
    }

    @Override
    public @Nullable V replace(K key, V value) {
        return map.replace(key, value);
    }

    @Override
    public Collection<V> values() {
        return map.values();
    }

    @Override
    public Set<Map.Entry<K, V>> entrySet() {
        return map.entrySet();
    }

    @Override
    public @Nullable Comparator<? super K> comparator() {
        return map.comparator();
    }

    @Override
    public ConcurrentNavigableMap<K, V> subMap(K from, boolean fromInclusive, K to, boolean toInclusive) {
        return map.subMap(from, fromInclusive, to, toInclusive);
    }

    @Override
    public ConcurrentNavigableMap<K, V> headMap(K to, boolean inclusive) {
        return map.headMap(to, inclusive);
    }

    @Override
    public ConcurrentNavigableMap<K, V> tailMap(K from, boolean inclusive) {
        return map.tailMap(from, inclusive);
    }

    @Override
    public ConcurrentNavigableMap<K, V> subMap(K from, K to) {
        return map.subMap(from, to);
    }

    @Override
    public ConcurrentNavigableMap<K, V> headMap(K to) {
        return map.headMap(to);
    }

    @Override
    public ConcurrentNavigableMap<K, V> tailMap(K from) {
        return map.tailMap(from);
    }

    @Override
    public ConcurrentNavigableMap<K, V> descendingMap() {
        return map.descendingMap();
    }

    @Override
    public NavigableSet<K> navigableKeySet() {
        return map.navigableKeySet();
    }

    @Override
    public NavigableSet<K> keySet() {
        return map.keySet();
    }

    @Override
    public NavigableSet<K> descendingKeySet() {
        return map.descendingKeySet();
    }

    @Override
    public Map.@Nullable Entry<K, V> lowerEntry(K key) {
        return map.lowerEntry(key);
    }

    @Override
    public @Nullable K lowerKey(K key) {
        return map.lowerKey(key);
    }

    @Override
    public Map.@Nullable Entry<K, V> floorEntry(K key) {
        return map.floorEntry(key);
    }

    @Override
    public @Nullable K floorKey(K key) {
        return map.floorKey(key);
    }

    @Override
    public Map.@Nullable Entry<K, V> ceilingEntry(K key) {
        return map.ceilingEntry(key);
    }

    @Override
    public @Nullable K ceilingKey(K key) {
        return map.ceilingKey(key);
    }

    @Override
    public Map.@Nullable Entry<K, V> higherEntry(K key) {
        return map.higherEntry(key);
    }

    @Override
    public @Nullable K higherKey(K key) {
        return map.higherKey(key);
    }

    @Override
    public Map.@Nullable Entry<K, V> firstEntry() {
        return map.firstEntry();
    }

    @Override
    public Map.@Nullable Entry<K, V> lastEntry() {
        return map.lastEntry();
    }

    @Override
    public Map.@Nullable Entry<K, V> pollFirstEntry() {
        return map.pollFirstEntry();
    }

    @Override
    public Map.@Nullable Entry<K, V> pollLastEntry() {
        return map.pollLastEntry();
    }

    @Override
    public K firstKey() {
        return map.firstKey();
    }

    @Override
    public K lastKey() {
        return map.lastKey();
    }
}
