package dev.tiebreak.art;

import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serial;
import java.io.Serializable;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.BiFunction;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An {@link ArtMap} with primitive {@code long} keys in signed order: nothing is boxed on the way in or out, and no key
 * objects are stored.
 *
 * <p>Guarantees as those of {@link ArtMap}. Everything that a map of objects can do (views, iterators, streams) it does as
 * {@link #boxed}, a view and not a copy. Null values are refused with {@link NullPointerException}.
 *
 * @param <V> the type of the values
 */
public final class LongArtMap<V> implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    /** Stands for the key object, which a tree of longs does not look at. */
    private static final Long NO_OBJECT = 0L;

    private final transient LongTree<Long, V> tree;

    private LongArtMap(LongTree<Long, V> tree) {
        this.tree = tree;
    }

    /** An empty map. */
    public static <V> LongArtMap<V> create() {
        return create(Capacities.LONGS);
    }

    /** With capacities of its own. */
    static <V> LongArtMap<V> create(Capacities capacities) {
        return create(capacities, Probe.NONE);
    }

    /** With capacities of its own, and a probe that is told of every step. */
    static <V> LongArtMap<V> create(Capacities capacities, Probe probe) {
        return new LongArtMap<>(new LongTree<>(Codecs.Longs.LONGS, capacities, probe));
    }

    /** This map with boxed keys: the same entries, not a copy. */
    public ConcurrentNavigableMap<Long, V> boxed() {
        return new ArtMap<>(tree);
    }

    /** The value of a key, null if it is absent. Wait-free. */
    public @Nullable V get(long key) {
        return tree.get(key);
    }

    /** The value of a key, {@code other} if it is absent. Wait-free. */
    public V getOrDefault(long key, V other) {
        V value = tree.get(key);
        return value == null ? other : value;
    }

    /** Whether the key is there. Wait-free. */
    public boolean containsKey(long key) {
        return tree.get(key) != null;
    }

    /** Sets the value of a key; the value before, null if it was absent. */
    public @Nullable V put(long key, V value) {
        OrderedMap.value(value);
        return tree.update(NO_OBJECT, key, present -> value);
    }

    /** Sets the value of a key that is absent; the value that is there, null if there was none. */
    public @Nullable V putIfAbsent(long key, V value) {
        OrderedMap.value(value);
        return tree.update(NO_OBJECT, key, present -> present == null ? value : present);
    }

    /** Removes a key; the value it had, null if it was absent. */
    public @Nullable V remove(long key) {
        return tree.update(NO_OBJECT, key, present -> null);
    }

    /** Removes a key if its value equals {@code expected}; whether it did. */
    public boolean remove(long key, @Nullable Object expected) {
        return expected != null
                && expected.equals(tree.update(NO_OBJECT, key, present -> expected.equals(present) ? null : present));
    }

    /** Sets the value of a key that is present; the value before, null if it was absent. */
    public @Nullable V replace(long key, V value) {
        OrderedMap.value(value);
        return tree.update(NO_OBJECT, key, present -> present == null ? null : value);
    }

    /** Sets the value of a key if it equals {@code expected}; whether it did. */
    public boolean replace(long key, V expected, V value) {
        OrderedMap.value(expected);
        OrderedMap.value(value);
        return expected.equals(tree.update(NO_OBJECT, key, present -> expected.equals(present) ? value : present));
    }

    /**
     * Makes a key's value of its present one in one atomic step; the new value, null if there is none.
     *
     * @param function is given null if the key is absent and answers null to remove it or leave it absent; may run more
     *     than once, so it must have no effects of its own
     */
    public @Nullable V compute(long key, Remapping<V> function) {
        Objects.requireNonNull(function);
        return computed(key, new Change.Computed<>() {
            @Override
            @Nullable
            V compute(@Nullable V present) {
                return function.apply(key, present);
            }
        });
    }

    /** Makes a value for a key that is absent; the value that is there now. See {@link #compute}. */
    public @Nullable V computeIfAbsent(long key, LongFunction<? extends @Nullable V> function) {
        Objects.requireNonNull(function);
        V value = tree.get(key);
        if (value != null) {
            return value;
        }
        return computed(key, new Change.Computed<>() {
            @Override
            @Nullable
            V compute(@Nullable V present) {
                return present == null ? function.apply(key) : present;
            }
        });
    }

    /** Makes a new value of that of a key that is present; the new value, null if there is none. See {@link #compute}. */
    public @Nullable V computeIfPresent(long key, Remapping<V> function) {
        Objects.requireNonNull(function);
        return computed(key, new Change.Computed<>() {
            @Override
            @Nullable
            V compute(@Nullable V present) {
                return present == null ? null : function.apply(key, present);
            }
        });
    }

    /** Sets the value of a key that is absent, or joins it with the present one; the new value. See {@link #compute}. */
    public @Nullable V merge(long key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
        Objects.requireNonNull(function);
        OrderedMap.value(value);
        return computed(key, new Change.Computed<>() {
            @Override
            @Nullable
            V compute(@Nullable V present) {
                return present == null ? value : function.apply(present, value);
            }
        });
    }

    private @Nullable V computed(long key, Change.Computed<V> change) {
        tree.update(NO_OBJECT, key, change);
        return change.answer();
    }

    /** Puts every entry of a map of boxed keys; at once if this map is empty and the other is sorted. */
    public void putAll(Map<Long, ? extends V> source) {
        boxed().putAll(source);
    }

    /** The number of entries, at most {@link Integer#MAX_VALUE}; exact when no write is under way. */
    public int size() {
        return (int) Math.min(Integer.MAX_VALUE, tree.size());
    }

    /** Whether there is no entry. */
    public boolean isEmpty() {
        return tree.end(false) == null;
    }

    /** Removes everything in one atomic step. */
    public void clear() {
        tree.clear();
    }

    /** The entry with the least key, null if the map is empty. */
    public @Nullable Entry<V> firstEntry() {
        return found(cursor -> cursor.toEnd(false));
    }

    /** The entry with the greatest key, null if the map is empty. */
    public @Nullable Entry<V> lastEntry() {
        return found(cursor -> cursor.toEnd(true));
    }

    /** Removes the entry with the least key and answers it, null if the map is empty. */
    public @Nullable Entry<V> pollFirstEntry() {
        return poll(false);
    }

    /** Removes the entry with the greatest key and answers it, null if the map is empty. */
    public @Nullable Entry<V> pollLastEntry() {
        return poll(true);
    }

    /** The entry with the greatest key less than {@code key}, null if there is none. */
    public @Nullable Entry<V> lowerEntry(long key) {
        return found(cursor -> cursor.down(NO_OBJECT, key, false));
    }

    /** The entry with the greatest key not greater than {@code key}, null if there is none. */
    public @Nullable Entry<V> floorEntry(long key) {
        return found(cursor -> cursor.down(NO_OBJECT, key, true));
    }

    /** The entry with the least key not less than {@code key}, null if there is none. */
    public @Nullable Entry<V> ceilingEntry(long key) {
        return found(cursor -> cursor.up(NO_OBJECT, key, true));
    }

    /** The entry with the least key greater than {@code key}, null if there is none. */
    public @Nullable Entry<V> higherEntry(long key) {
        return found(cursor -> cursor.up(NO_OBJECT, key, false));
    }

    private @Nullable Entry<V> found(Predicate<Cursor<Long, V>> search) {
        Cursor<Long, V> cursor = tree.found(search);
        return cursor == null ? null : new Entry<>(cursor.bits(), cursor.value());
    }

    private @Nullable Entry<V> poll(boolean last) {
        for (Entry<V> entry = found(cursor -> cursor.toEnd(last));
                entry != null;
                entry = found(cursor -> cursor.toEnd(last))) {
            V value = remove(entry.key());
            if (value != null) {
                return new Entry<>(entry.key(), value);
            }
        }
        return null;
    }

    /** Visits every entry upwards. Weakly consistent; the visitor may write to the map. */
    public void forEach(Visitor<? super V> visitor) {
        visit(Range.all(), false, Long.MAX_VALUE, visitor);
    }

    /** Visits every entry downwards. Weakly consistent; the visitor may write to the map. */
    public void forEachDescending(Visitor<? super V> visitor) {
        visit(Range.all(), true, Long.MAX_VALUE, visitor);
    }

    /**
     * Visits the entries between two keys upwards. Weakly consistent; the visitor may write to the map.
     *
     * @throws IllegalArgumentException if {@code from} is greater than {@code to}
     */
    public void forEachInRange(
            long from, boolean fromInclusive, long to, boolean toInclusive, Visitor<? super V> visitor) {
        Range<Long> range = new Range<>(from, fromInclusive, to, toInclusive);
        visit(Range.<Long>all().narrowed(tree.codec, range), false, Long.MAX_VALUE, visitor);
    }

    /**
     * Visits at most {@code limit} entries upwards from the first whose key is not less than {@code from}.
     *
     * @return how many it visited
     */
    public int forEachFrom(long from, int limit, Visitor<? super V> visitor) {
        return (int) visit(new Range<>(from, true, null, false), false, limit, visitor);
    }

    /**
     * Visits at most {@code limit} entries downwards from the last whose key is not greater than {@code from}.
     *
     * @return how many it visited
     */
    public int forEachDownFrom(long from, int limit, Visitor<? super V> visitor) {
        return (int) visit(new Range<>(null, false, from, true), true, limit, visitor);
    }

    private long visit(Range<Long> range, boolean descending, long limit, Visitor<? super V> visitor) {
        Objects.requireNonNull(visitor);
        return new Walk<>(tree, range, descending).forEachLong(limit, visitor);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LongArtMap<?> map && boxed().equals(map.boxed());
    }

    @Override
    public int hashCode() {
        return boxed().hashCode();
    }

    /** Such as {@code {1=a, 7=b}}. */
    @Override
    public String toString() {
        return boxed().toString();
    }

    @Serial
    private Object writeReplace() {
        return new Written<>(new ArtMap<>(tree));
    }

    @Serial
    private void readObject(ObjectInputStream in) throws InvalidObjectException {
        throw new InvalidObjectException("written as " + Written.class.getName());
    }

    private record Written<V>(ArtMap<Long, V> map) implements Serializable {
        @Serial
        private Object readResolve() {
            return new LongArtMap<>((LongTree<Long, V>) map.tree);
        }
    }

    /**
     * A key and the value it had.
     *
     * @param <V> the type of the value
     */
    public record Entry<V>(long key, V value) {}

    /**
     * Takes the entries of a scan.
     *
     * @param <V> the type of the values
     */
    @FunctionalInterface
    public interface Visitor<V> {
        /** Takes one entry. */
        void visit(long key, V value);
    }

    /**
     * Makes a key's new value of its present one.
     *
     * @param <V> the type of the values
     */
    @FunctionalInterface
    public interface Remapping<V> {
        /** The new value; null to remove the key or leave it absent. {@code present} is null if the key is absent. */
        @Nullable
        V apply(long key, @Nullable V present);
    }
}
