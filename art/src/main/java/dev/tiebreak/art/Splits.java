package dev.tiebreak.art;

import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Spliterator;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A weakly consistent spliterator: splits where a node of the tree does. */
final class Splits<K, V, T> implements Spliterator<T> {
    private final Tree<K, V> tree;
    private final boolean descending;
    private final int characteristics;
    private final @Nullable Comparator<? super T> order;
    private final BiFunction<K, V, T> shown;
    private Range<K> range;
    private long estimate;
    private @Nullable Walk<K, V> walk;

    private Splits(
            Tree<K, V> tree,
            Range<K> range,
            boolean descending,
            long estimate,
            int characteristics,
            @Nullable Comparator<? super T> order,
            BiFunction<K, V, T> shown) {
        this.tree = tree;
        this.range = range;
        this.descending = descending;
        this.estimate = estimate;
        this.characteristics = characteristics;
        this.order = order;
        this.shown = shown;
    }

    static <K, V> Spliterator<K> keys(OrderedMap<K, V> map) {
        return of(map, DISTINCT | SORTED, map.comparator(), (key, value) -> key);
    }

    static <K, V> Spliterator<Map.Entry<K, V>> entries(OrderedMap<K, V> map) {
        return of(map, DISTINCT | SORTED, byKey(map), SimpleImmutableEntry::new);
    }

    static <K, V> Spliterator<V> values(OrderedMap<K, V> map) {
        return of(map, 0, null, (key, value) -> value);
    }

    private static <K, V, T> Splits<K, V, T> of(
            OrderedMap<K, V> map,
            int characteristics,
            @Nullable Comparator<? super T> order,
            BiFunction<K, V, T> shown) {
        return new Splits<>(
                map.tree,
                map.range,
                map.descending,
                map.tree.size(),
                characteristics | ORDERED | CONCURRENT | NONNULL,
                order,
                shown);
    }

    private static <K, V> Comparator<Map.Entry<K, V>> byKey(OrderedMap<K, V> map) {
        Comparator<K> order = map.tree.codec::compare;
        return Map.Entry.comparingByKey(map.descending ? Collections.reverseOrder(order) : order);
    }

    @Override
    public @Nullable Spliterator<T> trySplit() {
        if (walk != null) {
            return null;
        }
        K middle = middle();
        if (middle == null) {
            return null;
        }
        estimate >>>= 1;
        Range<K> low = new Range<>(range.low(), range.lowInclusive(), middle, false);
        Range<K> high = new Range<>(middle, true, range.high(), range.highInclusive());
        range = descending ? low : high;
        return new Splits<>(tree, descending ? high : low, descending, estimate, characteristics, order, shown);
    }

    /** A key that divides the range at a node, leaving about as much on either side; null if it is not worth it. */
    private @Nullable K middle() {
        Node node = null;
        int from = 0;
        int to = 0;
        Object content = Frozen.thawed(Node.read(tree.root, 0));
        while (content instanceof Node next && from == to) {
            node = next;
            from = range.low() == null ? 0 : run(next, range.low());
            to = range.high() == null ? next.slots.length - 1 : run(next, range.high());
            content = Frozen.thawed(Node.read(next.slots, from));
        }
        if (node == null || from >= to) {
            return null;
        }
        content = Frozen.thawed(Node.read(node.slots, (from + to + 1) >>> 1));
        while (content instanceof Node next) {
            content = Frozen.thawed(Node.read(next.slots, 0));
        }
        Bucket bucket = (Bucket) content;
        if (bucket.size() == 0) {
            return null;
        }
        K middle = tree.keyAt(bucket, 0);
        // The bounds may not share the node's prefix, then the runs say nothing.
        return range.contains(tree.codec, middle) ? middle : null;
    }

    private int run(Node node, K key) {
        return node.slotOf(tree.byteAt(key, tree.bits(key), node.depth));
    }

    @Override
    public boolean tryAdvance(Consumer<? super T> visitor) {
        Objects.requireNonNull(visitor);
        Walk<K, V> own = started();
        if (!own.advance()) {
            return false;
        }
        visitor.accept(shown.apply(own.key(), own.value()));
        return true;
    }

    @Override
    public void forEachRemaining(Consumer<? super T> visitor) {
        Objects.requireNonNull(visitor);
        started().forEach(Long.MAX_VALUE, (key, value) -> visitor.accept(shown.apply(key, value)));
    }

    private Walk<K, V> started() {
        Walk<K, V> own = walk;
        if (own == null) {
            own = new Walk<>(tree, range, descending);
            walk = own;
        }
        return own;
    }

    @Override
    public long estimateSize() {
        return estimate;
    }

    @Override
    public int characteristics() {
        return characteristics;
    }

    @Override
    public @Nullable Comparator<? super T> getComparator() {
        if (!hasCharacteristics(SORTED)) {
            throw new IllegalStateException("values are not sorted");
        }
        return order;
    }
}
