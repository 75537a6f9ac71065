package dev.tiebreak.art;

import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Spliterator;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The entries of a map, as a view; each entry it hands out is a snapshot. */
final class EntrySet<K, V> extends AbstractSet<Map.Entry<K, V>> {
    private final OrderedMap<K, V> map;

    EntrySet(OrderedMap<K, V> map) {
        this.map = map;
    }

    @Override
    public Iterator<Map.Entry<K, V>> iterator() {
        return Iteration.of(map, false, SimpleImmutableEntry::new);
    }

    @Override
    public Spliterator<Map.Entry<K, V>> spliterator() {
        return Splits.entries(map);
    }

    @Override
    public void forEach(Consumer<? super Map.Entry<K, V>> visitor) {
        Objects.requireNonNull(visitor);
        map.forEach((key, value) -> visitor.accept(new SimpleImmutableEntry<>(key, value)));
    }

    @Override
    public boolean removeIf(Predicate<? super Map.Entry<K, V>> filter) {
        Objects.requireNonNull(filter);
        return map.removeIf((key, value) -> filter.test(new SimpleImmutableEntry<>(key, value)));
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
    public boolean contains(Object entry) {
        return entry instanceof Map.Entry<?, ?> other
                && other.getValue() != null
                && other.getValue().equals(map.get(other.getKey()));
    }

    @Override
    public boolean remove(Object entry) {
        return entry instanceof Map.Entry<?, ?> other && map.remove(other.getKey(), other.getValue());
    }
}
