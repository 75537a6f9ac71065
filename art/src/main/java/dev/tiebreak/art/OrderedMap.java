package dev.tiebreak.art;

import java.util.AbstractMap;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A tree's entries in a range, in either direction, as a map: the whole map and every view of it.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
abstract sealed class OrderedMap<K, V> extends AbstractMap<K, V> implements ConcurrentNavigableMap<K, V>
        permits ArtMap, SubMap {
    final transient Tree<K, V> tree;
    final transient Range<K> range;
    final transient boolean descending;

    OrderedMap(Tree<K, V> tree, Range<K> range, boolean descending) {
        this.tree = tree;
        this.range = range;
        this.descending = descending;
    }

    final Walk<K, V> walk(boolean backwards) {
        return new Walk<>(tree, range, descending != backwards);
    }

    /** The key, if it lies in the range; null if not. */
    private @Nullable K inside(Object key) {
        K own = own(key);
        return range.contains(tree.codec, own) ? own : null;
    }

    /** A key of another type gets no further than the codec, which throws {@link ClassCastException}. */
    @SuppressWarnings("unchecked")
    final K own(Object key) {
        return (K) Objects.requireNonNull(key, "an ordered map takes no null key");
    }

    private K checked(K key) {
        if (!range.contains(tree.codec, own(key))) {
            throw new IllegalArgumentException("key " + key + " lies outside of " + range + ", the range of this view");
        }
        return key;
    }

    static <V> V value(V value) {
        return Objects.requireNonNull(value, "a concurrent map takes no null value: null says that the key is absent");
    }

    // Single keys.

    @Override
    public @Nullable V get(Object key) {
        K own = inside(key);
        return own == null ? null : tree.get(own, tree.bits(own));
    }

    @Override
    public boolean containsKey(Object key) {
        return get(key) != null;
    }

    private @Nullable V update(K key, Change<V> change) {
        K own = checked(key);
        return tree.update(own, tree.bits(own), change);
    }

    @Override
    public @Nullable V put(K key, V value) {
        value(value);
        return update(key, present -> value);
    }

    @Override
    public @Nullable V putIfAbsent(K key, V value) {
        value(value);
        return update(key, present -> present == null ? value : present);
    }

    @Override
    public @Nullable V remove(Object key) {
        K own = inside(key);
        return own == null ? null : tree.update(own, tree.bits(own), present -> null);
    }

    @Override
    public boolean remove(Object key, @Nullable Object value) {
        K own = inside(key);
        if (own == null || value == null) {
            return false;
        }
        V before = tree.update(own, tree.bits(own), present -> value.equals(present) ? null : present);
        return value.equals(before);
    }

    @Override
    public @Nullable V replace(K key, V value) {
        value(value);
        return update(key, present -> present == null ? null : value);
    }

    @Override
    public boolean replace(K key, V expected, V value) {
        value(expected);
        value(value);
        return expected.equals(update(key, present -> expected.equals(present) ? value : present));
    }

    /**
     * {@inheritDoc}
     *
     * <p>One atomic step. The function may run more than once: again each time another thread changed this key's value
     * meanwhile. So it must have no effects of its own.
     */
    @Override
    public @Nullable V compute(K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
        Objects.requireNonNull(function);
        return computed(key, new Change.Computed<>() {
            @Override
            @Nullable
            V compute(@Nullable V present) {
                return function.apply(key, present);
            }
        });
    }

    /**
     * {@inheritDoc}
     *
     * <p>One atomic step; see {@link #compute} for how often the function runs.
     */
    @Override
    public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
        Objects.requireNonNull(function);
        V present = get(key);
        if (present != null) {
            return present;
        }
        return computed(key, new Change.Computed<>() {
            @Override
            @Nullable
            V compute(@Nullable V now) {
                return now == null ? function.apply(key) : now;
            }
        });
    }

    /**
     * {@inheritDoc}
     *
     * <p>One atomic step; see {@link #compute} for how often the function runs.
     */
    @Override
    public @Nullable V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
        Objects.requireNonNull(function);
        return computed(key, new Change.Computed<>() {
            @Override
            @Nullable
            V compute(@Nullable V present) {
                return present == null ? null : function.apply(key, present);
            }
        });
    }

    /**
     * {@inheritDoc}
     *
     * <p>One atomic step; see {@link #compute} for how often the function runs.
     */
    @Override
    public @Nullable V merge(K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
        Objects.requireNonNull(function);
        value(value);
        return computed(key, new Change.Computed<>() {
            @Override
            @Nullable
            V compute(@Nullable V present) {
                return present == null ? value : function.apply(present, value);
            }
        });
    }

    private @Nullable V computed(K key, Change.Computed<V> change) {
        K own = inside(key);
        if (own != null) {
            tree.update(own, tree.bits(own), change);
        } else if (change.of(null) != null) {
            checked(key);
        }
        return change.answer();
    }

    // All of them.

    @Override
    public int size() {
        return (int) Math.min(Integer.MAX_VALUE, walk(false).count());
    }

    @Override
    public boolean isEmpty() {
        return !walk(false).advance();
    }

    @Override
    public boolean containsValue(Object value) {
        Objects.requireNonNull(value);
        Walk<K, V> walk = walk(false);
        while (walk.advance()) {
            if (value.equals(walk.value())) {
                return true;
            }
        }
        return false;
    }

    /** Removes the entries one after the other; those that come meanwhile may stay. */
    @Override
    public void clear() {
        Walk<K, V> walk = walk(false);
        while (walk.advance()) {
            tree.update(walk.key(), tree.bits(walk.key()), present -> null);
        }
    }

    /** In order, and faster than an iterator: bucket by bucket. */
    @Override
    public void forEach(BiConsumer<? super K, ? super V> visitor) {
        Objects.requireNonNull(visitor);
        walk(false).forEach(Long.MAX_VALUE, visitor);
    }

    /** Removes the entries that a filter picks, each only if it still has the value that the filter saw. */
    @SuppressWarnings("ReferenceEquality") // the very value that the filter saw: equal is not the same
    final boolean removeIf(BiPredicate<? super K, ? super V> filter) {
        boolean removed = false;
        Walk<K, V> walk = walk(false);
        while (walk.advance()) {
            V seen = walk.value();
            if (filter.test(walk.key(), seen)) {
                K key = walk.key();
                removed |= tree.update(key, tree.bits(key), present -> present == seen ? null : present) == seen;
            }
        }
        return removed;
    }

    // Neighbours.

    private Map.@Nullable Entry<K, V> near(K key, boolean up, boolean inclusive) {
        own(key);
        boolean ascending = up != descending;
        boolean beyond = ascending ? range.tooLow(tree.codec, key) : range.tooHigh(tree.codec, key);
        return beyond ? end(descending == ascending) : inRange(tree.near(key, ascending, inclusive), ascending);
    }

    /** The first or last entry in the order of this view. */
    private Map.@Nullable Entry<K, V> end(boolean last) {
        boolean ascending = last == descending;
        K bound = ascending ? range.low() : range.high();
        boolean inclusive = ascending ? range.lowInclusive() : range.highInclusive();
        return inRange(bound == null ? tree.end(!ascending) : tree.near(bound, ascending, inclusive), ascending);
    }

    private Map.@Nullable Entry<K, V> inRange(Map.@Nullable Entry<K, V> entry, boolean ascending) {
        if (entry == null) {
            return null;
        }
        boolean beyond =
                ascending ? range.tooHigh(tree.codec, entry.getKey()) : range.tooLow(tree.codec, entry.getKey());
        return beyond ? null : entry;
    }

    private static <K> @Nullable K key(Map.@Nullable Entry<K, ?> entry) {
        return entry == null ? null : entry.getKey();
    }

    @Override
    public Map.@Nullable Entry<K, V> lowerEntry(K key) {
        return near(key, false, false);
    }

    @Override
    public @Nullable K lowerKey(K key) {
        return key(lowerEntry(key));
    }

    @Override
    public Map.@Nullable Entry<K, V> floorEntry(K key) {
        return near(key, false, true);
    }

    @Override
    public @Nullable K floorKey(K key) {
        return key(floorEntry(key));
    }

    @Override
    public Map.@Nullable Entry<K, V> ceilingEntry(K key) {
        return near(key, true, true);
    }

    @Override
    public @Nullable K ceilingKey(K key) {
        return key(ceilingEntry(key));
    }

    @Override
    public Map.@Nullable Entry<K, V> higherEntry(K key) {
        return near(key, true, false);
    }

    @Override
    public @Nullable K higherKey(K key) {
        return key(higherEntry(key));
    }

    @Override
    public Map.@Nullable Entry<K, V> firstEntry() {
        return end(false);
    }

    @Override
    public Map.@Nullable Entry<K, V> lastEntry() {
        return end(true);
    }

    @Override
    public K firstKey() {
        return some(firstEntry());
    }

    @Override
    public K lastKey() {
        return some(lastEntry());
    }

    private static <K> K some(Map.@Nullable Entry<K, ?> entry) {
        if (entry == null) {
            throw new NoSuchElementException("the map is empty");
        }
        return entry.getKey();
    }

    @Override
    public Map.@Nullable Entry<K, V> pollFirstEntry() {
        return poll(false);
    }

    @Override
    public Map.@Nullable Entry<K, V> pollLastEntry() {
        return poll(true);
    }

    private Map.@Nullable Entry<K, V> poll(boolean last) {
        for (Map.Entry<K, V> entry = end(last); entry != null; entry = end(last)) {
            K key = entry.getKey();
            V value = tree.update(key, tree.bits(key), present -> null);
            if (value != null) {
                return new SimpleImmutableEntry<>(key, value);
            }
        }
        return null;
    }

    // Views.

    /** The order of the keys; null if it is their natural one. */
    @Override
    public @Nullable Comparator<? super K> comparator() {
        Comparator<? super K> order = tree.codec.comparator();
        return descending ? Collections.reverseOrder(order) : order;
    }

    @Override
    public ConcurrentNavigableMap<K, V> subMap(K from, boolean fromInclusive, K to, boolean toInclusive) {
        own(from);
        own(to);
        return view(from, fromInclusive, to, toInclusive);
    }

    @Override
    public ConcurrentNavigableMap<K, V> headMap(K to, boolean inclusive) {
        return view(null, false, own(to), inclusive);
    }

    @Override
    public ConcurrentNavigableMap<K, V> tailMap(K from, boolean inclusive) {
        return view(own(from), inclusive, null, false);
    }

    @Override
    public ConcurrentNavigableMap<K, V> subMap(K from, K to) {
        return subMap(from, true, to, false);
    }

    @Override
    public ConcurrentNavigableMap<K, V> headMap(K to) {
        return headMap(to, false);
    }

    @Override
    public ConcurrentNavigableMap<K, V> tailMap(K from) {
        return tailMap(from, true);
    }

    /** The part of this view between two bounds, given in the order of this view; null if there is none. */
    private SubMap<K, V> view(@Nullable K from, boolean fromInclusive, @Nullable K to, boolean toInclusive) {
        Range<K> asked = descending
                ? new Range<>(to, toInclusive, from, fromInclusive)
                : new Range<>(from, fromInclusive, to, toInclusive);
        return new SubMap<>(tree, range.narrowed(tree.codec, asked), descending);
    }

    @Override
    public ConcurrentNavigableMap<K, V> descendingMap() {
        return new SubMap<>(tree, range, !descending);
    }

    @Override
    public NavigableSet<K> navigableKeySet() {
        return new KeySet<>(this);
    }

    @Override
    public NavigableSet<K> keySet() {
        return new KeySet<>(this);
    }

    @Override
    public NavigableSet<K> descendingKeySet() {
        return descendingMap().navigableKeySet();
    }

    @Override
    public Set<Map.Entry<K, V>> entrySet() {
        return new EntrySet<>(this);
    }

    @Override
    public Collection<V> values() {
        return new Values<>(this);
    }
}
