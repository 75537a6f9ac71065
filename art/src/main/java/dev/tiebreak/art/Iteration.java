package dev.tiebreak.art;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A weakly consistent iterator: ordered, never throws {@link java.util.ConcurrentModificationException}, and is one entry
 * ahead so that what {@link #hasNext} promised is there.
 */
final class Iteration<K, V, T> implements Iterator<T> {
    private final OrderedMap<K, V> map;
    private final Walk<K, V> walk;
    private final BiFunction<K, V, T> shown;
    private @Nullable T next;
    private @Nullable K nextKey;
    private @Nullable K lastKey;

    private Iteration(OrderedMap<K, V> map, boolean backwards, BiFunction<K, V, T> shown) {
        this.map = map;
        this.shown = shown;
        walk = map.walk(backwards);
        advance();
    }

    static <K, V, T> Iterator<T> of(OrderedMap<K, V> map, boolean backwards, BiFunction<K, V, T> shown) {
        return new Iteration<>(map, backwards, shown);
    }

    private void advance() {
        if (walk.advance()) {
            K key = walk.key();
            nextKey = key;
            next = shown.apply(key, walk.value());
        } else {
            nextKey = null;
            next = null;
        }
    }

    @Override
    public boolean hasNext() {
        return next != null;
    }

    @Override
    public T next() {
        T given = next;
        if (given == null) {
            throw new NoSuchElementException("the iterator is at its end");
        }
        lastKey = nextKey;
        advance();
        return given;
    }

    /** Removes the key that was last returned, whatever its value is by now. */
    @Override
    public void remove() {
        K key = lastKey;
        if (key == null) {
            throw new IllegalStateException("nothing to remove: next() has not returned a key since the last remove()");
        }
        map.tree.update(key, map.tree.bits(key), present -> null);
        lastKey = null;
    }
}
