package dev.tiebreak.art;

/**
 * A bucket whose keys are objects.
 *
 * <p>Beside each key lie its eight bytes from {@link #from} on, with the sign bit flipped so that signed order is their
 * order. A search runs over these and looks at a key object only to confirm a hit or to decide a tie.
 */
final class KeyBucket extends Bucket {
    private static final Object[] NOTHING = {};

    static final KeyBucket EMPTY = new KeyBucket(0, new long[0], NOTHING, NOTHING);

    /** A position before which all keys of this bucket agree. */
    final int from;

    final long[] words;

    /** As long as {@link #values}, or with one removed key if that is empty. */
    final Object[] keys;

    KeyBucket(int from, long[] words, Object[] keys, Object[] values) {
        super(values);
        this.from = from;
        this.words = words;
        this.keys = keys;
    }

    /** What a removal leaves of a bucket of one. */
    KeyBucket emptied() {
        return new KeyBucket(from, words, keys, NOTHING);
    }

    /** The first index whose word is not less than {@code word}. */
    int lowerBound(long word) {
        long[] array = words;
        int low = 0;
        int length = array.length;
        if (length == 0) {
            return 0;
        }
        while (length > 1) {
            int half = length >>> 1;
            low = array[low + half - 1] < word ? low + half : low;
            length -= half;
        }
        return array[low] < word ? low + 1 : low;
    }
}
