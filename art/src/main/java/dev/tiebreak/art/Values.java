package dev.tiebreak.art;

import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.Objects;
import java.util.Spliterator;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The values of a map in the order of its keys, as a view. */
final class Values<V> extends AbstractCollection<V> {
    private final OrderedMap<?, V> map;

    Values(OrderedMap<?, V> map) {
        this.map = map;
    }

    @Override
    public Iterator<V> iterator() {
        return Iteration.of(map, false, (key, value) -> value);
    }

    @Override
    public Spliterator<V> spliterator() {
        return Splits.values(map);
    }

    @Override
    public void forEach(Consumer<? super V> visitor) {
        Objects.requireNonNull(visitor);
        map.forEach((key, value) -> visitor.accept(value));
    }

    @Override
    public boolean removeIf(Predicate<? super V> filter) {
        Objects.requireNonNull(filter);
        return map.removeIf((key, value) -> filter.test(value));
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
    public boolean contains(Object value) {
        return map.containsValue(value);
    }
}
