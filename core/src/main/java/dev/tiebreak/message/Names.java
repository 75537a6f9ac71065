package dev.tiebreak.message;

/** What a text must be to name something in an index: PostgreSQL has room for some 2,700 bytes there. */
final class Names {
    private Names() {}

    /**
     * The same text, if it is one PostgreSQL can store and compare.
     *
     * @param what it names, for the message
     * @param most bytes in UTF-8
     */
    static String checked(String what, String text, int most) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(what + " is not empty");
        }
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                throw new IllegalArgumentException(what + " has no NUL in it, which PostgreSQL cannot store");
            }
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
                bytes += 4;
            } else if (Character.isSurrogate(c)) {
                throw new IllegalArgumentException(what + " is not well-formed text: half a character at index " + i);
            } else {
                bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
            }
        }
        if (bytes > most) {
            throw new IllegalArgumentException(
                    what + " has at most " + most + " bytes in UTF-8, not " + bytes + ": use a hash of it");
        }
        return text;
    }
}
