package dev.tiebreak.art;

import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serial;
import java.io.Serializable;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An ordered concurrent map in a lock-free adaptive radix tree: what {@link java.util.concurrent.ConcurrentSkipListMap}
 * does, with fewer cache misses and less memory, for keys that a {@link KeyCodec} can read.
 *
 * <p>It settles races between threads of one process. It is no cure for a race between two requests that meet in a
 * database.
 *
 * <ul>
 *   <li>{@code get} and {@code containsKey} are wait-free and linearizable: they never wait and never retry.
 *   <li>{@code put}, {@code remove}, {@code replace}, {@code compute} and the like are lock-free and linearizable: a
 *       thread that is stopped in the middle of one stops nobody else. A function given to {@code compute}, {@code merge}
 *       and the like may run more than once; it must have no effects of its own.
 *   <li>{@code firstEntry}, {@code lastEntry}, {@code lowerEntry}, {@code floorEntry}, {@code ceilingEntry}, {@code
 *       higherEntry} and their key forms are lock-free and linearizable. {@code pollFirstEntry} and {@code pollLastEntry}
 *       remove an entry that was the first or last when it was found; no entry is polled twice.
 *   <li>Iterators, spliterators, {@code forEach} and the bulk operations are weakly consistent: in order, each key at most
 *       once, and every key that is there throughout is seen. They are no snapshot. {@link #clear} is atomic.
 *   <li>{@code size} is a counter; it is exact when no write is under way. The size of a view is counted.
 * </ul>
 *
 * <p>Null keys and null values are refused with {@link NullPointerException}. A key of a type the codec does not read is
 * refused with {@link ClassCastException} when it meets another key. There is no map with an arbitrary {@link
 * Comparator}: a radix tree needs the bytes of a key, see {@link KeyCodec}. Entries handed out are snapshots and do not
 * support {@code setValue}.
 *
 * <p>Use a {@link java.util.concurrent.ConcurrentHashMap} if order does not matter; it is faster. For primitive {@code
 * long} keys there is {@link LongArtMap}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class ArtMap<K, V> extends OrderedMap<K, V> implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    ArtMap(Tree<K, V> tree) {
        super(tree, Range.all(), false);
    }

    /** An empty map with its keys in the order of the codec. */
    public static <K, V> ArtMap<K, V> create(KeyCodec<K> codec) {
        return create(codec, codec instanceof Codecs.LongImage<K> ? Capacities.LONGS : Capacities.OBJECTS);
    }

    /** With capacities of its own. */
    static <K, V> ArtMap<K, V> create(KeyCodec<K> codec, Capacities capacities) {
        return create(codec, capacities, Probe.NONE);
    }

    /** With capacities of its own, and a probe that is told of every step. */
    static <K, V> ArtMap<K, V> create(KeyCodec<K> codec, Capacities capacities, Probe probe) {
        Objects.requireNonNull(codec);
        return new ArtMap<>(
                codec instanceof Codecs.LongImage<K> image
                        ? new LongTree<>(image, capacities, probe)
                        : new KeyTree<>(codec, capacities, probe));
    }

    /**
     * A map with the entries that {@code source} holds, built at once.
     *
     * @throws IllegalArgumentException if the source has another order than the codec
     */
    public static <K, V> ArtMap<K, V> copyOf(KeyCodec<K> codec, SortedMap<K, ? extends V> source) {
        Comparator<? super K> order = source.comparator();
        if (order != null && !order.equals(codec.comparator()) && !isNatural(order, codec)) {
            throw new IllegalArgumentException("a radix tree keeps keys in the order of their bytes, here " + codec
                    + "; it cannot keep the order of the comparator " + order + " that the source has");
        }
        ArtMap<K, V> copy = create(codec);
        copy.putAll(source);
        return copy;
    }

    private static boolean isNatural(Comparator<?> order, KeyCodec<?> codec) {
        return codec.comparator() == null && order.equals(Comparator.naturalOrder());
    }

    /** {@inheritDoc} Wait-free. */
    @Override
    public @Nullable V get(Object key) {
        K own = own(key);
        return tree.get(own, tree.bits(own));
    }

    @Override
    public int size() {
        return (int) Math.min(Integer.MAX_VALUE, tree.size());
    }

    /** Removes everything in one atomic step. */
    @Override
    public void clear() {
        tree.clear();
    }

    /**
     * Puts every entry of another map, one after the other.
     *
     * <p>If this map is empty and the other is sorted as this one is, the tree is built at once, bottom up, and put in
     * place in one atomic step.
     */
    @Override
    public void putAll(Map<? extends K, ? extends V> source) {
        if (!(source instanceof SortedMap && Bulk.load(tree, source))) {
            source.forEach(this::put);
        }
    }

    /**
     * The entries whose keys start with {@code prefix}, as a view.
     *
     * @throws UnsupportedOperationException if the keys are neither strings nor byte arrays
     */
    public ConcurrentNavigableMap<K, V> prefixMap(K prefix) {
        K after = tree.codec.afterPrefix(own(prefix));
        return after == null ? tailMap(prefix, true) : subMap(prefix, true, after, false);
    }

    /**
     * Visits the entries between two keys in order: the fastest way through a range, for it takes a bucket at a time and
     * makes no objects.
     *
     * <p>Weakly consistent. The visitor may write to the map.
     *
     * @throws IllegalArgumentException if {@code from} comes after {@code to}
     */
    public void forEachInRange(
            K from, boolean fromInclusive, K to, boolean toInclusive, BiConsumer<? super K, ? super V> visitor) {
        subMap(from, fromInclusive, to, toInclusive).forEach(visitor);
    }

    /**
     * Visits at most {@code limit} entries upwards from the first whose key is not less than {@code from}.
     *
     * @return how many it visited
     */
    public int forEachFrom(K from, int limit, BiConsumer<? super K, ? super V> visitor) {
        Objects.requireNonNull(visitor);
        Range<K> range = new Range<>(own(from), true, null, false);
        return (int) new Walk<>(tree, range, false).forEach(limit, visitor);
    }

    /**
     * Visits at most {@code limit} entries downwards from the last whose key is not greater than {@code from}.
     *
     * @return how many it visited
     */
    public int forEachDownFrom(K from, int limit, BiConsumer<? super K, ? super V> visitor) {
        Objects.requireNonNull(visitor);
        Range<K> range = new Range<>(null, false, own(from), true);
        return (int) new Walk<>(tree, range, true).forEach(limit, visitor);
    }

    @Serial
    private Object writeReplace() {
        return new Bulk.Written<>(tree);
    }

    @Serial
    private void readObject(ObjectInputStream in) throws InvalidObjectException {
        throw new InvalidObjectException("written as " + Bulk.Written.class.getName());
    }
}
