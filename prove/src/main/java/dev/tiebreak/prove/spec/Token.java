package dev.tiebreak.prove.spec;

/**
 * A word of a spec file.
 *
 * @param kind what it is
 * @param text a name without its quotes, the text of a block without its braces and the blanks next to them, or the
 *     sign itself
 * @param at where it begins
 */
record Token(Kind kind, String text, Position at) {
    /** The kinds of words. */
    enum Kind {
        /** An unquoted name: may be a keyword. */
        WORD,
        /** A name in quotes: never a keyword. */
        QUOTED,
        /** Digits. */
        NUMBER,
        /** What stands between braces. */
        BLOCK,
        /** One of {@code ( ) , *}. */
        SIGN,
        /** The end of the text. */
        END
    }

    boolean is(Kind other, String word) {
        return kind == other && text.equals(word);
    }

    boolean isName() {
        return kind == Kind.WORD || kind == Kind.QUOTED;
    }

    /** How messages show it. */
    String shown() {
        return switch (kind) {
            case END -> "the end of the file";
            case BLOCK -> "a { } block";
            case QUOTED -> '"' + text + '"';
            case WORD, NUMBER, SIGN -> text;
        };
    }
}
