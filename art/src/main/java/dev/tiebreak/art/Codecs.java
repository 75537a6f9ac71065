package dev.tiebreak.art;

import java.io.Serializable;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The built-in codecs other than {@link Strings}. */
final class Codecs {
    private Codecs() {}

    /** A key that one long says completely: the signed order of the longs is the order of the keys. */
    interface LongImage<K> extends KeyCodec<K> {
        long image(K key);

        K original(long image);

        @Override
        default int length(K key) {
            return Long.BYTES;
        }

        @Override
        default int byteAt(K key, int position) {
            return position < Long.BYTES ? byteOf(image(key), position) : 0;
        }

        @Override
        default long wordAt(K key, int position) {
            return position < Long.BYTES ? (image(key) ^ Long.MIN_VALUE) << (position << 3) : 0;
        }

        @Override
        default int mismatch(K a, K b) {
            return mismatchOf(image(a), image(b));
        }

        @Override
        default int compare(K a, K b) {
            return Long.compare(image(a), image(b));
        }

        @Override
        default @Nullable Comparator<? super K> comparator() {
            return null;
        }

        /** The byte of a signed long in unsigned order. */
        static int byteOf(long image, int position) {
            return (int) ((image ^ Long.MIN_VALUE) >>> (56 - (position << 3))) & 0xFF;
        }

        /** The first byte at which two longs differ; -1 if none does. */
        static int mismatchOf(long a, long b) {
            return a == b ? -1 : Long.numberOfLeadingZeros(a ^ b) >>> 3;
        }
    }

    enum Longs implements LongImage<Long> {
        LONGS;

        @Override
        public long image(Long key) {
            return key;
        }

        @Override
        public Long original(long image) {
            return image;
        }
    }

    enum Ints implements LongImage<Integer> {
        INTS;

        @Override
        public long image(Integer key) {
            return key;
        }

        @Override
        public Integer original(long image) {
            return (int) image;
        }
    }

    enum Doubles implements LongImage<Double> {
        DOUBLES;

        @Override
        public long image(Double key) {
            return mirrored(Double.doubleToLongBits(key));
        }

        @Override
        public Double original(long image) {
            return Double.longBitsToDouble(mirrored(image));
        }

        /** Negative numbers grow away from zero in IEEE 754: turn their order round. Its own inverse. */
        private static long mirrored(long bits) {
            return bits ^ (bits >> 63 & Long.MAX_VALUE);
        }
    }

    enum Uuids implements KeyCodec<UUID> {
        UUIDS;

        @Override
        public int length(UUID key) {
            return 2 * Long.BYTES;
        }

        @Override
        public int byteAt(UUID key, int position) {
            return position < Long.BYTES
                    ? LongImage.byteOf(key.getMostSignificantBits(), position)
                    : position < 2 * Long.BYTES
                            ? LongImage.byteOf(key.getLeastSignificantBits(), position - Long.BYTES)
                            : 0;
        }

        @Override
        public long wordAt(UUID key, int position) {
            return window(
                    key.getMostSignificantBits() ^ Long.MIN_VALUE,
                    key.getLeastSignificantBits() ^ Long.MIN_VALUE,
                    position);
        }

        @Override
        public int mismatch(UUID a, UUID b) {
            int high = LongImage.mismatchOf(a.getMostSignificantBits(), b.getMostSignificantBits());
            if (high >= 0) {
                return high;
            }
            int low = LongImage.mismatchOf(a.getLeastSignificantBits(), b.getLeastSignificantBits());
            return low < 0 ? -1 : low + Long.BYTES;
        }

        @Override
        public int compare(UUID a, UUID b) {
            int high = Long.compare(a.getMostSignificantBits(), b.getMostSignificantBits());
            return high != 0 ? high : Long.compare(a.getLeastSignificantBits(), b.getLeastSignificantBits());
        }

        @Override
        public boolean same(UUID a, UUID b) {
            return a.equals(b);
        }

        @Override
        public @Nullable Comparator<? super UUID> comparator() {
            return null;
        }
    }

    /** Seconds, 8 bytes, then nanoseconds, 4 bytes. */
    enum Instants implements KeyCodec<Instant> {
        INSTANTS;

        @Override
        public int length(Instant key) {
            return Long.BYTES + Integer.BYTES;
        }

        @Override
        public int byteAt(Instant key, int position) {
            return position < Long.BYTES
                    ? LongImage.byteOf(key.getEpochSecond(), position)
                    : (int) (wordAt(key, position) >>> 56);
        }

        @Override
        public long wordAt(Instant key, int position) {
            return window(key.getEpochSecond() ^ Long.MIN_VALUE, (long) key.getNano() << Integer.SIZE, position);
        }

        @Override
        public int mismatch(Instant a, Instant b) {
            int high = LongImage.mismatchOf(a.getEpochSecond(), b.getEpochSecond());
            if (high >= 0) {
                return high;
            }
            int low = LongImage.mismatchOf((long) a.getNano() << Integer.SIZE, (long) b.getNano() << Integer.SIZE);
            return low < 0 ? -1 : low + Long.BYTES;
        }

        @Override
        public int compare(Instant a, Instant b) {
            return a.compareTo(b);
        }

        @Override
        public boolean same(Instant a, Instant b) {
            return a.equals(b);
        }

        @Override
        public @Nullable Comparator<? super Instant> comparator() {
            return null;
        }
    }

    /** The byte at index {@code i} has the positions {@code 2i} and {@code 2i + 1}; see {@link Strings} for the escape. */
    enum Bytes implements KeyCodec<byte[]> {
        BYTES;

        private static final int ESCAPED = 0xFE;

        @Override
        public int length(byte[] key) {
            return (key.length + 1) << 1;
        }

        @Override
        public int byteAt(byte[] key, int position) {
            int index = position >> 1;
            if (index >= key.length) {
                return 0;
            }
            int value = key[index] & 0xFF;
            return (position & 1) == 0 ? Math.min(value + 1, 0xFF) : value < ESCAPED ? 0 : value;
        }

        @Override
        public long wordAt(byte[] key, int position) {
            long word = 0;
            int shift = Long.SIZE - Byte.SIZE;
            for (int p = position; p >> 1 < key.length && shift >= 0; p++) {
                if ((p & 1) == 0 || (key[p >> 1] & 0xFF) >= ESCAPED) {
                    word |= (long) byteAt(key, p) << shift;
                    shift -= Byte.SIZE;
                }
            }
            return word;
        }

        @Override
        public int mismatch(byte[] a, byte[] b) {
            int index = Arrays.mismatch(a, b);
            if (index < 0) {
                return -1;
            }
            boolean escaped = index < Math.min(a.length, b.length)
                    && (a[index] & 0xFF) >= ESCAPED
                    && (b[index] & 0xFF) >= ESCAPED;
            return (index << 1) + (escaped ? 1 : 0);
        }

        @Override
        public int compare(byte[] a, byte[] b) {
            return Arrays.compareUnsigned(a, b);
        }

        @Override
        public boolean same(byte[] a, byte[] b) {
            return Arrays.equals(a, b);
        }

        @Override
        public byte @Nullable [] afterPrefix(byte[] prefix) {
            int end = prefix.length;
            while (end > 0 && prefix[end - 1] == (byte) 0xFF) {
                end--;
            }
            if (end == 0) {
                return null;
            }
            byte[] after = Arrays.copyOf(prefix, end);
            after[end - 1]++;
            return after;
        }
    }

    /** One part of a key. */
    @SuppressWarnings("serial") // serializable if the part's codec is
    record By<K, A>(KeyCodec.Part<K, A> part, KeyCodec<A> codec) implements KeyCodec<K>, Serializable {
        @Override
        public int length(K key) {
            return codec.length(part.apply(key));
        }

        @Override
        public int byteAt(K key, int position) {
            return codec.byteAt(part.apply(key), position);
        }

        @Override
        public long wordAt(K key, int position) {
            return codec.wordAt(part.apply(key), position);
        }

        @Override
        public int mismatch(K a, K b) {
            return codec.mismatch(part.apply(a), part.apply(b));
        }

        @Override
        public int compare(K a, K b) {
            return codec.compare(part.apply(a), part.apply(b));
        }

        @Override
        public boolean same(K a, K b) {
            return codec.same(part.apply(a), part.apply(b));
        }
    }

    /** One codec's bytes followed by another's. Keys equal in the first have it of one length, so positions agree. */
    @SuppressWarnings("serial") // serializable if both are
    record Then<K>(KeyCodec<K> first, KeyCodec<K> second) implements KeyCodec<K>, Serializable {
        @Override
        public int length(K key) {
            return first.length(key) + second.length(key);
        }

        @Override
        public int byteAt(K key, int position) {
            int length = first.length(key);
            return position < length ? first.byteAt(key, position) : second.byteAt(key, position - length);
        }

        /** Of one part only, zeros behind it: what lies beyond falls to {@link #compare}. */
        @Override
        public long wordAt(K key, int position) {
            int length = first.length(key);
            return position < length ? first.wordAt(key, position) : second.wordAt(key, position - length);
        }

        @Override
        public int mismatch(K a, K b) {
            int position = first.mismatch(a, b);
            if (position >= 0) {
                return position;
            }
            position = second.mismatch(a, b);
            return position < 0 ? -1 : position + first.length(a);
        }

        @Override
        public int compare(K a, K b) {
            int order = first.compare(a, b);
            return order != 0 ? order : second.compare(a, b);
        }

        @Override
        public boolean same(K a, K b) {
            return first.same(a, b) && second.same(a, b);
        }
    }

    /** Eight bytes of sixteen from a position on, zeros behind them. */
    private static long window(long high, long low, int position) {
        if (position >= 2 * Long.BYTES) {
            return 0;
        }
        int shift = position << 3;
        if (position >= Long.BYTES) {
            return low << (shift - Long.SIZE);
        }
        return position == 0 ? high : high << shift | low >>> (Long.SIZE - shift);
    }
}
