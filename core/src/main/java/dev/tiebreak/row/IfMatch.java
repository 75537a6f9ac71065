package dev.tiebreak.row;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The condition of an HTTP request that changes something: which versions of it the client has seen.
 *
 * <p>{@code If-Match} of RFC 9110, section 13.1.1, with its strong comparison. A tag is the version in double quotes, as
 * {@link #etag} writes it. A weak tag ({@code W/"7"}) never matches; neither does anything that is not a tag of ours, so a
 * malformed header is a 412 and not an error. {@code *} matches whatever there is.
 *
 * @param given whether the header was there at all; if not, the answer is {@link Versioned.SaveIfMatch.Unconditional} (428)
 * @param any whether it was {@code *}
 * @param versions those it names
 */
public record IfMatch(boolean given, boolean any, List<Long> versions) {
    private static final Pattern TAG = Pattern.compile("\\G\\s*(?:,\\s*)*(W/)?\"([^\"]*)\"\\s*(?:,|$)");
    private static final Pattern VERSION = Pattern.compile("0|-?[1-9][0-9]{0,17}");

    /** Keeps a copy. */
    public IfMatch {
        versions = List.copyOf(versions);
    }

    /** From the header's value; null if the request has none. Several header lines are joined by commas first. */
    public static IfMatch header(@Nullable String value) {
        if (value == null) {
            return new IfMatch(false, false, List.of());
        }
        if (value.strip().equals("*")) {
            return new IfMatch(true, true, List.of());
        }
        Long[] versions = TAG.matcher(value)
                .results()
                .filter(m -> m.group(1) == null && VERSION.matcher(m.group(2)).matches())
                .map(m -> Long.valueOf(m.group(2)))
                .toArray(Long[]::new);
        return new IfMatch(true, false, List.copyOf(Arrays.asList(versions)));
    }

    /** The strong entity tag of a version: for 7 it is {@code "7"}, quotes included. */
    public static String etag(long version) {
        return '"' + Long.toString(version) + '"';
    }

    static IfMatch version(long seen) {
        return new IfMatch(true, false, List.of(seen));
    }

    boolean matches(long version) {
        return any || versions.contains(version);
    }
}
