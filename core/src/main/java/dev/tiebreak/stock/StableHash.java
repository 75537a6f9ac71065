package dev.tiebreak.stock;

import dev.tiebreak.Key;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The number of a key's advisory lock: 64 bits, the same in every process, JVM and release.
 *
 * <p>The first eight bytes, as a big-endian number, of the SHA-256 of these texts, each as UTF-8 with its length in bytes
 * before it (four bytes, big-endian): the namespace {@code tiebreak.stock}, the table's name with its schema if it was
 * given one, and each value of the key as text (decimals without trailing zeros).
 */
final class StableHash {
    private static final String NAMESPACE = "tiebreak.stock";

    private StableHash() {}

    static long of(Key key) {
        MessageDigest digest = sha256();
        add(digest, NAMESPACE);
        add(digest, key.table().toString());
        for (Object value : key.values()) {
            add(digest, value instanceof BigDecimal d ? d.stripTrailingZeros().toPlainString() : value.toString());
        }
        return ByteBuffer.wrap(digest.digest()).getLong();
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
