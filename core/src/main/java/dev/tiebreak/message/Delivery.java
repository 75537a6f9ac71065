package dev.tiebreak.message;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A message as it came in: the id under which its sender repeats it, and its body.
 *
 * <p>The id is the sender's and the same in every attempt: Stripe's {@code evt_…}, the {@code Idempotency-Key} header, topic,
 * partition and offset. One that is made anew for each attempt, such as a request id, lets every repetition through.
 *
 * <p>Of the body a fingerprint is kept, the SHA-256 of its bytes: the same id with another body is {@link
 * Inbox.Once.Mismatch}. A sender that writes the same message differently each time is given no body, or only the part that
 * counts. Immutable and thread-safe.
 */
public final class Delivery {
    static final int LONGEST_ID = 1000;
    static final byte[] NONE = {};

    private final String id;
    private final byte[] body;

    private Delivery(String id, byte[] body) {
        this.id = Names.checked("the id of a delivery", id, LONGEST_ID);
        this.body = body;
    }

    /** A delivery of which only the id is looked at: 1 to 1,000 bytes in UTF-8. */
    public static Delivery of(String id) {
        return new Delivery(id, NONE);
    }

    /** A delivery with a body as text. */
    public static Delivery of(String id, String body) {
        return new Delivery(id, body.getBytes(StandardCharsets.UTF_8));
    }

    /** A delivery with a body as bytes, of which a copy is kept. */
    public static Delivery of(String id, byte[] body) {
        return new Delivery(id, body.clone());
    }

    /** The sender's id. */
    public String id() {
        return id;
    }

    /** The body; empty if none was given. */
    public byte[] body() {
        return body.clone();
    }

    /** The body as UTF-8 text; empty if none was given. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** The body itself, not a copy: to be sent, not to be changed. */
    byte[] bytes() {
        return body;
    }

    /** The SHA-256 of the body; empty if there is none. */
    byte[] fingerprint() {
        if (body.length == 0) {
            return NONE;
        }
        try {
            return MessageDigest.getInstance("SHA-256").digest(body);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Such as {@code delivery evt_1 (812 bytes)}; not the body, which may be nobody's business. */
    @Override
    public String toString() {
        return "delivery " + id + " (" + body.length + " bytes)";
    }
}
