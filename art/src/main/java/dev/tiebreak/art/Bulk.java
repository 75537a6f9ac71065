package dev.tiebreak.art;

import java.io.Serial;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Many entries at once: into an empty tree, and into and out of a stream of bytes. */
final class Bulk {
    private Bulk() {}

    /** Builds the tree of a source in the tree's order; false, and nothing done, if it is in another or the tree is not empty. */
    static <K, V> boolean load(Tree<K, V> tree, Map<? extends K, ? extends V> source) {
        if (tree.end(false) != null) {
            return false;
        }
        List<K> keys = new ArrayList<>();
        List<V> values = new ArrayList<>();
        K last = null;
        for (Map.Entry<? extends K, ? extends V> entry : source.entrySet()) {
            K key = Objects.requireNonNull(entry.getKey());
            if (last != null && tree.codec.compare(last, key) >= 0) {
                return false;
            }
            keys.add(key);
            values.add(OrderedMap.value(entry.getValue()));
            last = key;
        }
        return tree.load(tree.sorted(keys, values.toArray()));
    }

    /** A map as it is written: its codec, and its keys and values in turn. */
    @SuppressWarnings("serial") // serializable if codec, keys and values are
    static final class Written<K, V> implements Serializable {
        @Serial
        private static final long serialVersionUID = 1;

        private final KeyCodec<K> codec;
        private final Object[] keys;
        private final Object[] values;

        Written(Tree<K, V> tree) {
            codec = tree.codec;
            List<@Nullable Object> first = new ArrayList<>();
            List<@Nullable Object> second = new ArrayList<>();
            new Walk<>(tree, Range.<K>all(), false).forEach(Long.MAX_VALUE, (key, value) -> {
                first.add(key);
                second.add(value);
            });
            keys = first.toArray();
            values = second.toArray();
        }

        @SuppressWarnings("unchecked") // written from a map of these types
        @Serial
        private Object readResolve() {
            ArtMap<K, V> map = ArtMap.create(codec);
            for (int i = 0; i < keys.length; i++) {
                map.put((K) keys[i], (V) values[i]);
            }
            return map;
        }
    }
}
