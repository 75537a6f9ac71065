package dev.tiebreak.art;

import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.BiFunction;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** An ordered concurrent map with primitive long keys. */
@SuppressWarnings({"serial", "NullAway"})
public final class LongArtMap<V> implements Serializable {
    private final ArtMap<Long, V> map;

    private LongArtMap(ArtMap<Long, V> map) {
        this.map = map;
    }

    /** An empty map. */
    public static <V> LongArtMap<V> create() {
        return new LongArtMap<>(ArtMap.create(KeyCodec.longs()));
    }

    static <V> LongArtMap<V> create(Capacities capacities) {
        return new LongArtMap<>(ArtMap.create(KeyCodec.longs(), capacities));
    }

    static <V> LongArtMap<V> create(Capacities capacities, Probe probe) {
        return new LongArtMap<>(ArtMap.create(KeyCodec.longs(), capacities, probe));
    }

    /** This map as a map of boxed keys: the same entries, not a copy. */
    public ConcurrentNavigableMap<Long, V> boxed() {
        return map;
    }

    public @Nullable V get(long key) {
        return map.get(key);
    }

    public V getOrDefault(long key, V other) {
        return map.getOrDefault(key, other);
    }

    public boolean containsKey(long key) {
        return map.containsKey(key);
    }

    public @Nullable V put(long key, V value) {
        return map.put(key, value);
    }

    public @Nullable V putIfAbsent(long key, V value) {
        return map.putIfAbsent(key, value);
    }

    public @Nullable V remove(long key) {
        return map.remove(key);
    }

    public boolean remove(long key, Object value) {
        return map.remove(key, value);
    }

    public @Nullable V replace(long key, V value) {
        return map.replace(key, value);
    }

    public boolean replace(long key, V oldValue, V newValue) {
        return map.replace(key, oldValue, newValue);
    }

    public @Nullable V compute(long key, Remapping<V> f) {
        return map.compute(key, f::apply);
    }

    public @Nullable V computeIfAbsent(long key, LongFunction<? extends @Nullable V> f) {
        return map.computeIfAbsent(key, f::apply);
    }

    public @Nullable V computeIfPresent(long key, Remapping<V> f) {
        return map.computeIfPresent(key, f::apply);
    }

    public @Nullable V merge(long key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> f) {
        return map.merge(key, value, f);
    }

    /** Puts everything of a map of boxed keys. */
    public void putAll(Map<Long, ? extends V> source) {
        map.putAll(source);
    }

    public int size() {
        return map.size();
    }

    public boolean isEmpty() {
        return map.isEmpty();
    }

    public void clear() {
        map.clear();
    }

    public @Nullable Entry<V> firstEntry() {
        return entry(map.firstEntry());
    }

    public @Nullable Entry<V> lastEntry() {
        return entry(map.lastEntry());
    }

    public @Nullable Entry<V> pollFirstEntry() {
        return entry(map.pollFirstEntry());
    }

    public @Nullable Entry<V> pollLastEntry() {
        return entry(map.pollLastEntry());
    }

    public @Nullable Entry<V> lowerEntry(long key) {
        return entry(map.lowerEntry(key));
    }

    public @Nullable Entry<V> floorEntry(long key) {
        return entry(map.floorEntry(key));
    }

    public @Nullable Entry<V> ceilingEntry(long key) {
        return entry(map.ceilingEntry(key));
    }

    public @Nullable Entry<V> higherEntry(long key) {
        return entry(map.higherEntry(key));
    }

    public void forEach(Visitor<? super V> visitor) {
        map.forEach(visitor::visit);
    }

    public void forEachDescending(Visitor<? super V> visitor) {
        map.descendingMap().forEach(visitor::visit);
    }

    public void forEachInRange(
            long from, boolean fromInclusive, long to, boolean toInclusive, Visitor<? super V> visitor) {
        map.forEachInRange(from, fromInclusive, to, toInclusive, visitor::visit);
    }

    /** Visits at most limit entries upwards from the first whose key is at least from; how many it visited. */
    public int forEachFrom(long from, int limit, Visitor<? super V> visitor) {
        return map.forEachFrom(from, limit, visitor::visit);
    }

    public int forEachDownFrom(long from, int limit, Visitor<? super V> visitor) {
        return map.forEachDownFrom(from, limit, visitor::visit);
    }

    private static <V> @Nullable Entry<V> entry(Map.@Nullable Entry<Long, V> e) {
        return e == null ? null : new Entry<>(e.getKey(), e.getValue());
    }

    /** A key and the value it had. */
    public record Entry<V>(long key, V value) {}

    /** Takes the entries of a scan. */
    @FunctionalInterface
    public interface Visitor<V> {
        void visit(long key, V value);
    }

    /** Makes a key's new value of its present one; null removes, or leaves absent. */
    @FunctionalInterface
    public interface Remapping<V> {
        @Nullable
        V apply(long key, @Nullable V value);
    }
}
