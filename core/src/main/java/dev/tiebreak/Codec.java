package dev.tiebreak;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Function;

/**
 * Turns a payload or a stored result into bytes and back.
 *
 * <p>Text and bytes are built in; JSON is two lambdas: {@code Codec.of(json::writeValueAsString, s ->
 * json.readValue(s, Order.class))}. An implementation is thread-safe.
 */
public interface Codec<T> {
    /** The bytes that stand for the value. */
    byte[] encode(T value);

    /** The value that the bytes stand for. */
    T decode(byte[] bytes);

    /** UTF-8 text. */
    static Codec<String> text() {
        return of(Function.identity(), Function.identity());
    }

    /** Bytes as they are; copied both ways, so that neither side sees the other's later changes. */
    static Codec<byte[]> bytes() {
        return new Codec<>() {
            @Override
            public byte[] encode(byte[] value) {
                return Arrays.copyOf(value, value.length);
            }

            @Override
            public byte[] decode(byte[] bytes) {
                return Arrays.copyOf(bytes, bytes.length);
            }
        };
    }

    /** A codec through text, stored as UTF-8. */
    static <T> Codec<T> of(Function<? super T, String> write, Function<String, ? extends T> read) {
        return new Codec<>() {
            @Override
            public byte[] encode(T value) {
                return write.apply(value).getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public T decode(byte[] bytes) {
                return read.apply(new String(bytes, StandardCharsets.UTF_8));
            }
        };
    }
}
