package dev.tiebreak.internal;

import dev.tiebreak.Key;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The number of a name: 64 bits, the same in every process, release and language.
 *
 * <p>The first eight bytes, as a signed big-endian number, of the SHA-256 of these texts one after the other, each as UTF-8
 * with its length in bytes before it (four bytes, big-endian): a namespace, then the parts of the name.
 */
public final class StableHash {
    private StableHash() {}

    /** The number of the name that has these parts. */
    public static long of(String namespace, Iterable<String> parts) {
        MessageDigest digest = sha256();
        add(digest, namespace);
        for (String part : parts) {
            add(digest, part);
        }
        return ByteBuffer.wrap(digest.digest()).getLong();
    }

    /**
     * The number of a key: that of the table's name, with its schema if it was given one, and each value as text: decimals
     * without trailing zeros, bytes as {@code \\x} and hexadecimal digits.
     */
    public static long of(String namespace, Key key) {
        List<String> parts = new ArrayList<>();
        parts.add(key.table().toString());
        for (Object value : key.values()) {
            parts.add(text(value));
        }
        return of(namespace, parts);
    }

    /** A value as text, the same in every process. */
    public static String text(Object value) {
        if (value instanceof BigDecimal d) {
            return d.stripTrailingZeros().toPlainString();
        }
        return value instanceof byte[] bytes ? "\\x" + HexFormat.of().formatHex(bytes) : value.toString();
    }

    private static void add(MessageDigest digest, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(4).putInt(bytes.length).array());
        digest.update(bytes);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
