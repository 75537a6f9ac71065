package dev.tiebreak.art;

import org.jspecify.annotations.Nullable;

/**
 * Strings by UTF-16 code unit, read in place.
 *
 * <p>The unit at index {@code i} has the positions {@code 4i}, {@code 4i + 1} and {@code 4i + 2}. A unit below 0xFE takes
 * the first alone, as its value plus one, so that 0 is left as the end mark; any other is the escape 0xFF followed by its
 * two bytes. Positions are never stored, only compared, so the gaps cost nothing, and text in ASCII or Latin-1 reads one
 * byte a character.
 */
enum Strings implements KeyCodec<String> {
    STRINGS;

    /** Units from here on are escaped. */
    private static final int ESCAPED = 0xFE;

    private static final int ESCAPE = 0xFF;

    @Override
    public int length(String key) {
        return (key.length() + 1) << 2;
    }

    @Override
    public int byteAt(String key, int position) {
        int index = position >> 2;
        if (index >= key.length()) {
            return 0;
        }
        char unit = key.charAt(index);
        return switch (position & 3) {
            case 0 -> unit < ESCAPED ? unit + 1 : ESCAPE;
            case 1 -> unit < ESCAPED ? 0 : unit >> 8;
            case 2 -> unit < ESCAPED ? 0 : unit & 0xFF;
            default -> 0;
        };
    }

    @Override
    public long wordAt(String key, int position) {
        int index = position >> 2;
        int length = key.length();
        if ((position & 3) == 0 && index + Long.BYTES <= length) {
            long word = 0;
            int units = 0;
            for (int i = index; i < index + Long.BYTES; i++) {
                char unit = key.charAt(i);
                units |= unit;
                word = word << 8 | unit;
            }
            if (units < 0x80) {
                return word + 0x0101_0101_0101_0101L;
            }
        }
        return slowWordAt(key, position);
    }

    private static long slowWordAt(String key, int position) {
        long word = 0;
        int part = position & 3;
        int shift = Long.SIZE - Byte.SIZE;
        for (int i = position >> 2; i < key.length() && shift >= 0; i++) {
            char unit = key.charAt(i);
            if (unit < ESCAPED) {
                if (part == 0) {
                    word |= (unit + 1L) << shift;
                    shift -= Byte.SIZE;
                }
            } else {
                for (; part < 3 && shift >= 0; part++) {
                    long symbol = part == 0 ? ESCAPE : part == 1 ? unit >> 8 : unit & 0xFF;
                    word |= symbol << shift;
                    shift -= Byte.SIZE;
                }
            }
            part = 0;
        }
        return word;
    }

    @Override
    public int mismatch(String a, String b) {
        int common = Math.min(a.length(), b.length());
        for (int i = 0; i < common; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean escaped = x >= ESCAPED && y >= ESCAPED;
                return (i << 2) + (!escaped ? 0 : x >> 8 != y >> 8 ? 1 : 2);
            }
        }
        return a.length() == b.length() ? -1 : common << 2;
    }

    @Override
    public int compare(String a, String b) {
        return a.compareTo(b);
    }

    @Override
    public boolean same(String a, String b) {
        return a.equals(b);
    }

    @Override
    public java.util.@Nullable Comparator<? super String> comparator() {
        return null;
    }

    @Override
    public @Nullable String afterPrefix(String prefix) {
        int end = prefix.length();
        while (end > 0 && prefix.charAt(end - 1) == Character.MAX_VALUE) {
            end--;
        }
        return end == 0 ? null : prefix.substring(0, end - 1) + (char) (prefix.charAt(end - 1) + 1);
    }
}
