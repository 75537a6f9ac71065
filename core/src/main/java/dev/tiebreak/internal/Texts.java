package dev.tiebreak.internal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The SQL of one kind of statement, one text a shape: each is written once, not once a call. At most {@value #MOST} are
 * kept; a caller that has more shapes begins anew, and is none the worse but slower. Thread-safe.
 *
 * @param <S> what the text depends on; a value with {@code equals}
 */
public final class Texts<S> {
    static final int MOST = 64;

    private final Map<S, String> known = new ConcurrentHashMap<>();
    private final Function<? super S, String> write;

    /** Texts as the function writes them. */
    public Texts(Function<? super S, String> write) {
        this.write = write;
    }

    /** The text for a shape. */
    public String of(S shape) {
        String text = known.get(shape);
        if (text == null) {
            text = write.apply(shape);
            if (known.size() >= MOST) {
                known.clear();
            }
            known.put(shape, text);
        }
        return text;
    }
}
