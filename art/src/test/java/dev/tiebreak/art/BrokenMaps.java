package dev.tiebreak.art;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Maps that are wrong in the ways a radix tree can be: every check must catch the one made for it. */
final class BrokenMaps {
    private BrokenMaps() {}

    /**
     * Copies a table to grow it without freezing the slots: an insertion in between is lost. Keys 0 to 7; the
     * operations that the trap needs are its own, the rest are a sorted map's.
     */
    @SuppressWarnings("serial")
    static final class Unfrozen extends ConcurrentSkipListMap<Integer, Integer> {
        private volatile AtomicReferenceArray<@Nullable Integer> table = new AtomicReferenceArray<>(2);

        @Override
        public @Nullable Integer get(Object key) {
            AtomicReferenceArray<@Nullable Integer> seen = table;
            int slot = (Integer) key;
            return slot < seen.length() ? seen.get(slot) : null;
        }

        @Override
        public @Nullable Integer put(Integer key, Integer value) {
            while (table.length() <= key) {
                AtomicReferenceArray<@Nullable Integer> old = table;
                AtomicReferenceArray<@Nullable Integer> grown = new AtomicReferenceArray<>(2 * old.length());
                for (int i = 0; i < old.length(); i++) {
                    grown.set(i, old.get(i));
                }
                table = grown;
            }
            return table.getAndSet(key, value);
        }
    }

    /** One lock around everything. */
    @SuppressWarnings("serial")
    static final class Locked<K, V> extends TreeMap<K, V> {
        private final transient Probe probe;

        Locked() {
            this(step -> {});
        }

        Locked(Probe probe) {
            this.probe = probe;
        }

        @Override
        public synchronized @Nullable V get(Object key) {
            return super.get(key);
        }

        @Override
        public synchronized @Nullable V put(K key, V value) {
            probe.before(Probe.Step.WRITE);
            return super.put(key, value);
        }

        @Override
        public synchronized @Nullable V putIfAbsent(K key, V value) {
            return super.putIfAbsent(key, value);
        }

        @Override
        public synchronized @Nullable V remove(Object key) {
            probe.before(Probe.Step.WRITE);
            return super.remove(key);
        }
    }

    /** Moves a neighbour in two steps at every 64th insertion, as a split without a freeze would. */
    @SuppressWarnings("serial")
    static final class Moving<K> extends ConcurrentSkipListMap<K, Integer> {
        private final AtomicInteger insertions = new AtomicInteger();

        @Override
        public @Nullable Integer put(K key, Integer value) {
            Integer before = super.put(key, value);
            Map.Entry<K, Integer> neighbour = higherEntry(key);
            if (insertions.incrementAndGet() % 64 == 0 && neighbour != null) {
                remove(neighbour.getKey());
                super.put(neighbour.getKey(), neighbour.getValue());
            }
            return before;
        }
    }
}
