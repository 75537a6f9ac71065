package dev.tiebreak.art;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A tree that stores keys as longs: what a key is to its user, its codec alone knows. */
final class LongTree<K, V> extends Tree<K, V> {
    private final Codecs.LongImage<K> image;

    LongTree(Codecs.LongImage<K> image, Capacities capacities, Probe probe) {
        super(image, capacities, probe);
        this.image = image;
    }

    @Override
    long bits(K key) {
        return image.image(key);
    }

    @Override
    K keyAt(Bucket bucket, int i) {
        return image.original(bitsAt(bucket, i));
    }

    @Override
    long bitsAt(Bucket bucket, int i) {
        return ((LongBucket) bucket).keys[i];
    }

    @Override
    @Nullable
    V get(K key, long bits) {
        return get(bits);
    }

    @Nullable
    V get(long bits) {
        Object content = Node.read(root, 0);
        while (true) {
            if (content instanceof Node node) {
                content = Node.read(node.slots, node.slotOf(Codecs.LongImage.byteOf(bits, node.depth)));
            } else if (content instanceof LongBucket bucket) {
                int at = bucket.find(bits);
                return at < 0 ? null : valueAt(bucket, at);
            } else {
                content = Frozen.thawed(content);
            }
        }
    }

    @Override
    int byteAt(K key, long bits, int position) {
        return Codecs.LongImage.byteOf(bits, position);
    }

    @Override
    int byteAt(Bucket bucket, int i, int position) {
        return Codecs.LongImage.byteOf(bitsAt(bucket, i), position);
    }

    @Override
    int find(Bucket bucket, K key, long bits) {
        return ((LongBucket) bucket).find(bits);
    }

    @Override
    int place(Bucket bucket, K key, long bits, int found, int mismatch) {
        return ~found;
    }

    @Override
    int mismatch(Bucket bucket, K key, long bits) {
        int mismatch = Codecs.LongImage.mismatchOf(bits, bitsAt(bucket, 0));
        return mismatch < 0 ? Integer.MAX_VALUE : mismatch;
    }

    @Override
    int mismatch(Bucket bucket) {
        return Codecs.LongImage.mismatchOf(bitsAt(bucket, 0), bitsAt(bucket, bucket.size() - 1));
    }

    @Override
    int compare(Bucket bucket, int i, K key, long bits) {
        return Long.compare(bitsAt(bucket, i), bits);
    }

    @Override
    Bucket empty() {
        return LongBucket.EMPTY;
    }

    @Override
    Bucket single(K key, long bits, V value) {
        return new LongBucket(new long[] {bits}, new Object[] {value});
    }

    @Override
    Bucket inserted(Bucket bucket, int at, K key, long bits, V value, int mismatch) {
        return new LongBucket(
                Bucket.widened(((LongBucket) bucket).keys, at, bits), Bucket.widened(bucket.values, at, value));
    }

    @Override
    Bucket overwritten(Bucket bucket, int at, V value) {
        return new LongBucket(((LongBucket) bucket).keys, Bucket.replaced(bucket.values, at, value));
    }

    @Override
    Bucket removed(Bucket bucket, int at) {
        LongBucket from = (LongBucket) bucket;
        return from.size() == 1
                ? from.emptied()
                : new LongBucket(Bucket.narrowed(from.keys, at), Bucket.narrowed(from.values, at));
    }

    @Override
    Bucket part(Bucket bucket, int start, int end) {
        return new LongBucket(
                Arrays.copyOfRange(((LongBucket) bucket).keys, start, end),
                Arrays.copyOfRange(bucket.values, start, end));
    }

    @Override
    Bucket joined(Bucket left, Bucket right) {
        return new LongBucket(
                Bucket.joined(((LongBucket) left).keys, ((LongBucket) right).keys),
                Bucket.joined(left.values, right.values));
    }

    @Override
    Bucket sorted(List<K> keys, Object[] values) {
        return new LongBucket(keys.stream().mapToLong(this::bits).toArray(), values);
    }
}
