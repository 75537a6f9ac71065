package dev.tiebreak.art;

import java.io.Serializable;
import java.time.Instant;
import java.util.Comparator;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a key reads as a string of bytes whose unsigned order is the order of the keys.
 *
 * <p>A radix tree never asks which of two keys is greater; it asks for the byte at a position. So the order of an {@link
 * ArtMap} is the order of these bytes, and an arbitrary {@link Comparator} cannot be supported: a comparator has no
 * bytes.
 *
 * <p>The built-in codecs order as the key's own {@code compareTo} does: {@link #longs}, {@link #ints}, {@link #doubles}
 * ({@code -0.0} before {@code 0.0}, one NaN after everything), {@link #strings} (by UTF-16 code unit; UTF-8 bytes would
 * order surrogate pairs differently), {@link #uuids}, {@link #instants}; {@link #bytes} orders as {@link
 * java.util.Arrays#compareUnsigned(byte[], byte[])}. Several parts make one key with {@link #by} and {@link #then}:
 *
 * <pre>{@code
 * record Line(String order, int number) {}
 * ArtMap<Line, Item> lines = ArtMap.create(KeyCodec.by(Line::order, KeyCodec.strings()).then(Line::number, KeyCodec.ints()));
 * }</pre>
 *
 * <p>Your own codec needs {@link #length} and {@link #byteAt}; the rest has defaults made of these two, which you may
 * override with something faster. Three rules, unchecked:
 *
 * <ul>
 *   <li>two keys have the same bytes if and only if they are {@link #same};
 *   <li>no key's bytes are a prefix of another's: keys of one length obey by themselves, others need an end mark;
 *   <li>the bytes of a key never change; a mutable key (a {@code byte[]}) must not be changed while it is in a map.
 * </ul>
 *
 * <p>A codec is stateless or immutable, and so thread-safe. A map is serializable if its codec is; the built-in ones
 * are.
 *
 * @param <K> the type of the keys
 */
public interface KeyCodec<K> {
    /**
     * How many positions the key has: every position from {@code length} on reads as 0.
     *
     * @throws NullPointerException if the key is null
     */
    int length(K key);

    /**
     * The byte at a position, 0 to 255.
     *
     * @param position 0 or more; 0 is the most significant; beyond the key's length the answer is 0
     */
    int byteAt(K key, int position);

    /**
     * Eight bytes that follow each other from a position on, the first as the most significant; past the end zeros.
     *
     * <p>A codec that leaves positions unused (those of {@link #strings} lie four apart) may leave them out here: what
     * counts is that keys equal up to {@code position} are ordered by the unsigned order of these words, as far as they
     * reach.
     */
    default long wordAt(K key, int position) {
        long word = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            word = word << Byte.SIZE | byteAt(key, position + i);
        }
        return word;
    }

    /** The first position at which two keys differ; -1 if they are the same. */
    default int mismatch(K a, K b) {
        int length = Math.max(length(a), length(b));
        for (int position = 0; position < length; position++) {
            if (byteAt(a, position) != byteAt(b, position)) {
                return position;
            }
        }
        return -1;
    }

    /** Negative, zero or positive as {@code a} comes before, is, or comes after {@code b}. */
    default int compare(K a, K b) {
        int position = mismatch(a, b);
        return position < 0 ? 0 : byteAt(a, position) - byteAt(b, position);
    }

    /** Whether the two are one key. */
    default boolean same(K a, K b) {
        return mismatch(a, b) < 0;
    }

    /**
     * This order as a comparator; null if it is the natural order of the keys. This is what {@link ArtMap#comparator}
     * answers.
     */
    default @Nullable Comparator<? super K> comparator() {
        return new CodecOrder<>(this);
    }

    /**
     * The least key that comes after every key that starts with {@code prefix}, for {@link ArtMap#prefixMap}; null if
     * there is none because those keys are the last ones.
     *
     * @throws UnsupportedOperationException if a key of this kind is no prefix of another: all but strings and byte
     *     arrays
     */
    default @Nullable K afterPrefix(K prefix) {
        throw new UnsupportedOperationException(
                "prefixMap needs keys that can be a prefix of another: strings or byte arrays, not those of " + this);
    }

    /**
     * Orders by this codec, then by another part of the key.
     *
     * @param part reads the part; pure, never null
     */
    default <B> KeyCodec<K> then(Part<K, B> part, KeyCodec<B> codec) {
        return new Codecs.Then<>(this, by(part, codec));
    }

    /**
     * Orders by one part of a key.
     *
     * <p>The parts named with {@code by} and {@link #then} must make up the whole key: two keys of which all parts are
     * the same are one key to the map.
     *
     * @param part reads the part; pure, never null
     */
    static <K, A> KeyCodec<K> by(Part<K, A> part, KeyCodec<A> codec) {
        return new Codecs.By<>(part, codec);
    }

    /** Signed, 8 bytes. Maps with these keys store no key objects. */
    static KeyCodec<Long> longs() {
        return Codecs.Longs.LONGS;
    }

    /** Signed, 4 bytes. Maps with these keys store no key objects. */
    static KeyCodec<Integer> ints() {
        return Codecs.Ints.INTS;
    }

    /** In the order of {@link Double#compareTo}. Maps with these keys store no key objects. */
    static KeyCodec<Double> doubles() {
        return Codecs.Doubles.DOUBLES;
    }

    /** In the order of {@link String#compareTo}: by UTF-16 code unit, the shorter first. */
    static KeyCodec<String> strings() {
        return Strings.STRINGS;
    }

    /**
     * In unsigned order, the shorter first. Arrays are keys by content; the map keeps the array itself, so do not change
     * it afterwards.
     */
    static KeyCodec<byte[]> bytes() {
        return Codecs.Bytes.BYTES;
    }

    /** In the order of {@link UUID#compareTo}, which is signed. */
    static KeyCodec<UUID> uuids() {
        return Codecs.Uuids.UUIDS;
    }

    /** In the order of {@link Instant#compareTo}, to the nanosecond. */
    static KeyCodec<Instant> instants() {
        return Codecs.Instants.INSTANTS;
    }

    /**
     * Reads a part of a key; a method reference such as {@code Line::order}.
     *
     * @param <K> the key
     * @param <A> the part
     */
    @FunctionalInterface
    interface Part<K, A> extends Function<K, A>, Serializable {}
}
