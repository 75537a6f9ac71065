package dev.tiebreak.art;

/** A bucket whose keys are longs in signed order. */
final class LongBucket extends Bucket {
    private static final Object[] NOTHING = {};

    static final LongBucket EMPTY = new LongBucket(new long[0], NOTHING);

    /** As long as {@link #values}, or with one removed key if that is empty. */
    final long[] keys;

    LongBucket(long[] keys, Object[] values) {
        super(values);
        this.keys = keys;
    }

    /** What a removal leaves of a bucket of one. */
    LongBucket emptied() {
        return new LongBucket(keys, NOTHING);
    }

    /**
     * The index of a key, or {@code ~index} of where it would be. Looks at the values only if the key is there: they may
     * not be in the cache.
     */
    int find(long key) {
        long[] array = keys;
        int low = 0;
        int length = array.length;
        if (length == 0) {
            return ~0;
        }
        // Without an unpredictable branch: compiled to conditional moves.
        while (length > 1) {
            int half = length >>> 1;
            low = array[low + half] <= key ? low + half : low;
            length -= half;
        }
        long found = array[low];
        return found < key ? ~(low + 1) : found > key || values.length == 0 ? ~low : low;
    }
}
