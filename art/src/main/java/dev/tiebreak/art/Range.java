package dev.tiebreak.art;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The keys between two bounds, either of which may be missing.
 *
 * @param low the lower bound; null if there is none
 * @param high the upper bound; null if there is none
 */
@SuppressWarnings("serial") // serializable if the keys are
record Range<K>(
        @Nullable K low, boolean lowInclusive, @Nullable K high, boolean highInclusive) implements Serializable {
    static <K> Range<K> all() {
        return new Range<>(null, false, null, false);
    }

    boolean tooLow(KeyCodec<K> codec, K key) {
        if (low == null) {
            return false;
        }
        int order = codec.compare(key, low);
        return order < 0 || (order == 0 && !lowInclusive);
    }

    boolean tooHigh(KeyCodec<K> codec, K key) {
        if (high == null) {
            return false;
        }
        int order = codec.compare(key, high);
        return order > 0 || (order == 0 && !highInclusive);
    }

    /** This range with the bounds of another, which must not reach beyond its own. */
    Range<K> narrowed(KeyCodec<K> codec, Range<K> asked) {
        K from = asked.low == null ? low : asked.low;
        K to = asked.high == null ? high : asked.high;
        boolean fromInclusive = asked.low == null ? lowInclusive : asked.lowInclusive;
        boolean toInclusive = asked.high == null ? highInclusive : asked.highInclusive;
        if ((from != null && tooLow(codec, from) && (fromInclusive || !isLow(codec, from)))
                || (to != null && tooHigh(codec, to) && (toInclusive || !isHigh(codec, to)))) {
            throw new IllegalArgumentException(asked + " reaches beyond " + this + ", the range of this view");
        }
        if (from != null && to != null && codec.compare(from, to) > 0) {
            throw new IllegalArgumentException("the range from " + from + " to " + to + " runs backwards");
        }
        return new Range<>(from, fromInclusive, to, toInclusive);
    }

    private boolean isLow(KeyCodec<K> codec, K key) {
        return low != null && codec.compare(key, low) == 0;
    }

    private boolean isHigh(KeyCodec<K> codec, K key) {
        return high != null && codec.compare(key, high) == 0;
    }

    boolean contains(KeyCodec<K> codec, K key) {
        return !tooLow(codec, key) && !tooHigh(codec, key);
    }

    /** Such as {@code [3, 7)}. */
    @Override
    public String toString() {
        return (lowInclusive ? "[" : "(") + (low == null ? "" : low) + ", " + (high == null ? "" : high)
                + (highInclusive ? "]" : ")");
    }
}
