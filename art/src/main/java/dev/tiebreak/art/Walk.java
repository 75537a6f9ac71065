package dev.tiebreak.art;

import java.util.AbstractMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes a cursor through a range, in either direction.
 *
 * <p>For each bucket it finds the entries that lie in the range once, so that going through them compares nothing. For
 * one thread.
 */
final class Walk<K, V> {
    private final Tree<K, V> tree;
    private final @Nullable K bound;
    private final long boundBits;
    private final boolean boundInclusive;
    private final boolean descending;
    private final Cursor<K, V> cursor;

    /** The next entry of the bucket, and the one to stop before; counted down if descending. */
    private int next;

    private int end;

    /** Whether the range ends in this bucket. */
    private boolean last;

    /** Whether the cursor stands at an entry that was given out. */
    private boolean given;

    Walk(Tree<K, V> tree, Range<K> range, boolean descending) {
        this.tree = tree;
        this.descending = descending;
        cursor = new Cursor<>(tree);
        K start = descending ? range.high() : range.low();
        boolean inclusive = descending ? range.highInclusive() : range.lowInclusive();
        bound = descending ? range.low() : range.high();
        boundBits = bound == null ? 0 : tree.bits(bound);
        boundInclusive = descending ? range.lowInclusive() : range.highInclusive();
        enter(start == null ? cursor.toEnd(descending) : seek(start, tree.bits(start), inclusive));
    }

    private boolean seek(K key, long bits, boolean inclusive) {
        return descending ? cursor.down(key, bits, inclusive) : cursor.up(key, bits, inclusive);
    }

    /** Takes what lies in the range of the bucket that the cursor has moved to, from its entry on. */
    private void enter(boolean found) {
        given = false;
        last = !found;
        next = 0;
        end = 0;
        if (!found) {
            return;
        }
        int size = cursor.bucket.size();
        next = cursor.index;
        end = descending ? -1 : size;
        K key = bound;
        if (key != null && isBeyond(descending ? 0 : size - 1, key)) {
            last = true;
            end = descending ? Math.min(next, firstInside(key) - 1) : Math.max(next, firstBeyond(key));
        }
    }

    private boolean isBeyond(int i, K key) {
        int order = tree.compare(cursor.bucket, i, key, boundBits);
        return order == 0 ? !boundInclusive : descending ? order < 0 : order > 0;
    }

    private int firstBeyond(K key) {
        int low = 0;
        int high = cursor.bucket.size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (isBeyond(middle, key)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private int firstInside(K key) {
        int low = 1;
        int high = cursor.bucket.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (isBeyond(middle, key)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Whether there is an entry left; goes to the next bucket if this one is through. */
    private boolean hasMore() {
        if (next == end && !last) {
            enter(descending ? cursor.previousBucket() : cursor.nextBucket());
        }
        return next != end;
    }

    /**
     * Goes to the next entry, which {@link #key} and {@link #value} then read; false if there is none. If the bucket has
     * been written to since, looks at what it has become.
     */
    boolean advance() {
        if (given && !cursor.isCurrent()) {
            enter(seek(key(), cursor.bits(), false));
        }
        if (!hasMore()) {
            return false;
        }
        cursor.index = next;
        next += descending ? -1 : 1;
        given = true;
        return true;
    }

    K key() {
        return cursor.key();
    }

    V value() {
        return cursor.value();
    }

    /** The next entry as a snapshot; null if there is none. */
    Map.@Nullable Entry<K, V> nextEntry() {
        return advance() ? new AbstractMap.SimpleImmutableEntry<>(key(), value()) : null;
    }

    /** Visits at most {@code limit} entries, bucket by bucket; how many it visited. */
    long forEach(long limit, BiConsumer<? super K, ? super V> visitor) {
        long left = limit;
        while (left > 0 && hasMore()) {
            Bucket bucket = cursor.bucket;
            int i = next;
            int step = descending ? -1 : 1;
            int stop = left < Math.abs(end - i) ? i + step * (int) left : end;
            left -= Math.abs(stop - i);
            next = stop;
            for (; i != stop; i += step) {
                visitor.accept(tree.keyAt(bucket, i), tree.valueAt(bucket, i));
            }
        }
        return limit - left;
    }

    /** The same for a tree that stores longs. */
    long forEachLong(long limit, LongArtMap.Visitor<? super V> visitor) {
        long left = limit;
        while (left > 0 && hasMore()) {
            LongBucket bucket = (LongBucket) cursor.bucket;
            int i = next;
            int step = descending ? -1 : 1;
            int stop = left < Math.abs(end - i) ? i + step * (int) left : end;
            left -= Math.abs(stop - i);
            next = stop;
            for (; i != stop; i += step) {
                visitor.visit(bucket.keys[i], tree.valueAt(bucket, i));
            }
        }
        return limit - left;
    }

    /** The number of entries left. */
    long count() {
        long count = 0;
        while (hasMore()) {
            count += Math.abs(end - next);
            next = end;
        }
        return count;
    }
}
