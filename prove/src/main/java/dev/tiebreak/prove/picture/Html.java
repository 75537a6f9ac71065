package dev.tiebreak.prove.picture;

/** HTML being written: markup as it is, text escaped. */
final class Html {
    private final StringBuilder out = new StringBuilder();

    /** Appends markup. */
    Html raw(String markup) {
        out.append(markup);
        return this;
    }

    /** Appends a number, as part of markup. */
    Html raw(int number) {
        out.append(number);
        return this;
    }

    /** Appends text. */
    Html text(String text) {
        out.append(escape(text));
        return this;
    }

    /** Appends an element with nothing but text. */
    Html element(String name, String className, String text) {
        raw("<").raw(name)
                .raw(className.isEmpty() ? "" : " class=\"" + className + "\"")
                .raw(">");
        return text(text).raw("</").raw(name).raw(">");
    }

    @Override
    public String toString() {
        return out.toString();
    }

    static String escape(String text) {
        StringBuilder out = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                default -> out.append(c);
            }
        }
        return out.toString();
    }
}
