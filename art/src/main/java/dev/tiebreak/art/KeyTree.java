package dev.tiebreak.art;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A tree that stores key objects. */
final class KeyTree<K, V> extends Tree<K, V> {
    KeyTree(KeyCodec<K> codec, Capacities capacities, Probe probe) {
        super(codec, capacities, probe);
    }

    @Override
    long bits(K key) {
        return 0;
    }

    @SuppressWarnings("unchecked") // only keys of this map get into its buckets
    @Override
    K keyAt(Bucket bucket, int i) {
        return (K) ((KeyBucket) bucket).keys[i];
    }

    @Override
    long bitsAt(Bucket bucket, int i) {
        return 0;
    }

    @Override
    @Nullable
    V get(K key, long bits) {
        Object content = Node.read(root, 0);
        while (true) {
            if (content instanceof Node node) {
                content = Node.read(node.slots, node.slotOf(codec.byteAt(key, node.depth)));
            } else if (content instanceof KeyBucket bucket) {
                int at = find(bucket, key, bits);
                return at < 0 ? null : valueAt(bucket, at);
            } else {
                content = Frozen.thawed(content);
            }
        }
    }

    @Override
    int byteAt(K key, long bits, int position) {
        return codec.byteAt(key, position);
    }

    @Override
    int byteAt(Bucket bucket, int i, int position) {
        return codec.byteAt(keyAt(bucket, i), position);
    }

    private long wordAt(K key, int position) {
        return codec.wordAt(key, position) ^ Long.MIN_VALUE;
    }

    @Override
    int find(Bucket bucket, K key, long bits) {
        KeyBucket in = (KeyBucket) bucket;
        int size = in.words.length;
        long word = wordAt(key, in.from);
        int low = in.lowerBound(word);
        if (low == size || in.words[low] != word) {
            return ~low;
        }
        if (codec.same(key, keyAt(in, low))) {
            return in.size() == 0 ? ~0 : low;
        }
        // Keys that agree in eight bytes more than all of the bucket do, or a key that is not here.
        int high = low + 1;
        while (high < size && in.words[high] == word) {
            high++;
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = codec.compare(keyAt(in, middle), key);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return ~low;
    }

    @Override
    int place(Bucket bucket, K key, long bits, int found, int mismatch) {
        if (mismatch < ((KeyBucket) bucket).from) {
            return byteAt(key, bits, mismatch) < byteAt(bucket, 0, mismatch) ? 0 : bucket.size();
        }
        return ~found;
    }

    @Override
    int mismatch(Bucket bucket, K key, long bits) {
        int mismatch = codec.mismatch(key, keyAt(bucket, 0));
        return mismatch < 0 ? Integer.MAX_VALUE : mismatch;
    }

    @Override
    int mismatch(Bucket bucket) {
        return codec.mismatch(keyAt(bucket, 0), keyAt(bucket, bucket.size() - 1));
    }

    @Override
    int compare(Bucket bucket, int i, K key, long bits) {
        return codec.compare(keyAt(bucket, i), key);
    }

    @Override
    Bucket empty() {
        return KeyBucket.EMPTY;
    }

    @Override
    Bucket single(K key, long bits, V value) {
        return new KeyBucket(0, new long[] {wordAt(key, 0)}, new Object[] {key}, new Object[] {value});
    }

    @Override
    Bucket inserted(Bucket bucket, int at, K key, long bits, V value, int mismatch) {
        KeyBucket to = (KeyBucket) bucket;
        Object[] keys = Bucket.widened(to.keys, at, key);
        Object[] values = Bucket.widened(to.values, at, value);
        int from = to.size() == 1 ? mismatch : Math.min(to.from, mismatch);
        return from == to.from
                ? new KeyBucket(from, Bucket.widened(to.words, at, wordAt(key, from)), keys, values)
                : bucket(from, keys, values);
    }

    @Override
    Bucket overwritten(Bucket bucket, int at, V value) {
        KeyBucket in = (KeyBucket) bucket;
        return new KeyBucket(in.from, in.words, in.keys, Bucket.replaced(in.values, at, value));
    }

    @Override
    Bucket removed(Bucket bucket, int at) {
        KeyBucket in = (KeyBucket) bucket;
        return in.size() == 1
                ? in.emptied()
                : new KeyBucket(
                        in.from,
                        Bucket.narrowed(in.words, at),
                        Bucket.narrowed(in.keys, at),
                        Bucket.narrowed(in.values, at));
    }

    @Override
    Bucket part(Bucket bucket, int start, int end) {
        return bucket(
                Arrays.copyOfRange(((KeyBucket) bucket).keys, start, end),
                Arrays.copyOfRange(bucket.values, start, end));
    }

    @Override
    Bucket joined(Bucket left, Bucket right) {
        return bucket(
                Bucket.joined(((KeyBucket) left).keys, ((KeyBucket) right).keys),
                Bucket.joined(left.values, right.values));
    }

    @Override
    Bucket sorted(List<K> keys, Object[] values) {
        return bucket(keys.toArray(), values);
    }

    /** A bucket of sorted keys. */
    @SuppressWarnings("unchecked") // only keys of this map get into its buckets
    private KeyBucket bucket(Object[] keys, Object[] values) {
        int from = keys.length < 2 ? 0 : codec.mismatch((K) keys[0], (K) keys[keys.length - 1]);
        return bucket(from, keys, values);
    }

    @SuppressWarnings("unchecked") // only keys of this map get into its buckets
    private KeyBucket bucket(int from, Object[] keys, Object[] values) {
        long[] words = new long[keys.length];
        for (int i = 0; i < words.length; i++) {
            words[i] = wordAt((K) keys[i], from);
        }
        return new KeyBucket(from, words, keys, values);
    }
}
