package dev.tiebreak.art;

import java.util.AbstractSet;
import java.util.Comparator;
import java.util.Iterator;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Spliterator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The keys of a map, as a view. */
final class KeySet<K> extends AbstractSet<K> implements NavigableSet<K> {
    private final OrderedMap<K, ?> map;

    KeySet(OrderedMap<K, ?> map) {
        this.map = map;
    }

    @Override
    public Iterator<K> iterator() {
        return Iteration.of(map, false, (key, value) -> key);
    }

    @Override
    public Iterator<K> descendingIterator() {
        return Iteration.of(map, true, (key, value) -> key);
    }

    @Override
    public Spliterator<K> spliterator() {
        return Splits.keys(map);
    }

    @Override
    public void forEach(Consumer<? super K> visitor) {
        Objects.requireNonNull(visitor);
        map.forEach((key, value) -> visitor.accept(key));
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
    public boolean contains(Object key) {
        return map.containsKey(key);
    }

    @Override
    public boolean remove(Object key) {
        return map.remove(key) != null;
    }

    @Override
    public @Nullable K lower(K key) {
        return map.lowerKey(key);
    }

    @Override
    public @Nullable K floor(K key) {
        return map.floorKey(key);
    }

    @Override
    public @Nullable K ceiling(K key) {
        return map.ceilingKey(key);
    }

    @Override
    public @Nullable K higher(K key) {
        return map.higherKey(key);
    }

    @Override
    public K first() {
        return map.firstKey();
    }

    @Override
    public K last() {
        return map.lastKey();
    }

    @Override
    public @Nullable K pollFirst() {
        var entry = map.pollFirstEntry();
        return entry == null ? null : entry.getKey();
    }

    @Override
    public @Nullable K pollLast() {
        var entry = map.pollLastEntry();
        return entry == null ? null : entry.getKey();
    }

    @Override
    public @Nullable Comparator<? super K> comparator() {
        return map.comparator();
    }

    @Override
    public NavigableSet<K> descendingSet() {
        return map.descendingKeySet();
    }

    @Override
    public NavigableSet<K> subSet(K from, boolean fromInclusive, K to, boolean toInclusive) {
        return map.subMap(from, fromInclusive, to, toInclusive).navigableKeySet();
    }

    @Override
    public NavigableSet<K> headSet(K to, boolean inclusive) {
        return map.headMap(to, inclusive).navigableKeySet();
    }

    @Override
    public NavigableSet<K> tailSet(K from, boolean inclusive) {
        return map.tailMap(from, inclusive).navigableKeySet();
    }

    @Override
    public NavigableSet<K> subSet(K from, K to) {
        return subSet(from, true, to, false);
    }

    @Override
    public NavigableSet<K> headSet(K to) {
        return headSet(to, false);
    }

    @Override
    public NavigableSet<K> tailSet(K from) {
        return tailSet(from, true);
    }
}
