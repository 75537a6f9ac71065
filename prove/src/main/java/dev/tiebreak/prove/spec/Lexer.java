package dev.tiebreak.prove.spec;

import dev.tiebreak.prove.spec.Token.Kind;
import java.util.ArrayList;
import java.util.List;

/** Splits the text of a spec file into tokens, and keeps its {@code #@} comments. */
final class Lexer {
    /**
     * A {@code #@} comment.
     *
     * @param text what follows {@code #@}, stripped
     * @param at its line
     */
    record Comment(String text, Position at) {}

    private final String file;
    private final String text;
    private final List<Comment> comments = new ArrayList<>();
    private int next;
    private int line = 1;

    Lexer(String file, String text) {
        this.file = file;
        this.text = text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    List<Token> tokens() {
        List<Token> tokens = new ArrayList<>();
        Token token;
        do {
            token = token();
            tokens.add(token);
        } while (token.kind() != Kind.END);
        return tokens;
    }

    List<Comment> comments() {
        return comments;
    }

    private Token token() {
        skipSpaceAndComments();
        if (next == text.length()) {
            return new Token(Kind.END, "", here());
        }
        char c = text.charAt(next);
        if (isLetter(c)) {
            return new Token(Kind.WORD, run(Lexer::isNamePart), here());
        }
        if (isDigit(c)) {
            return new Token(Kind.NUMBER, run(Lexer::isDigit), here());
        }
        if ("(),*".indexOf(c) >= 0) {
            next++;
            return new Token(Kind.SIGN, String.valueOf(c), here());
        }
        if (c == '"') {
            return quoted();
        }
        if (c == '{') {
            return block();
        }
        throw new SpecException(here(), "unexpected character '" + c + "'");
    }

    private void skipSpaceAndComments() {
        while (next < text.length()) {
            char c = text.charAt(next);
            if (c == '#') {
                String comment = run(other -> other != '\n');
                if (comment.startsWith("#@")) {
                    comments.add(new Comment(comment.substring(2).strip(), here()));
                }
            } else if (isSpace(c)) {
                line += c == '\n' ? 1 : 0;
                next++;
            } else {
                return;
            }
        }
    }

    private Token quoted() {
        Position start = here();
        StringBuilder name = new StringBuilder();
        for (next++; next < text.length() && text.charAt(next) != '\n'; next++) {
            if (text.charAt(next) != '"') {
                name.append(text.charAt(next));
            } else if (text.startsWith("\"\"", next)) {
                name.append('"');
                next++;
            } else {
                next++;
                return new Token(Kind.QUOTED, name.toString(), start);
            }
        }
        throw new SpecException(start, "the quoted name does not end on its line; add the closing \"");
    }

    private Token block() {
        Position open = here();
        int end = text.indexOf('}', next);
        if (end < 0) {
            throw new SpecException(open, "the { block does not end; add the closing }");
        }
        // As the stock tester does: blanks inside the braces go, line ends stay (it prints them).
        int first = next + 1;
        while (isBlank(text.charAt(first))) {
            first++;
        }
        int last = end;
        while (last > first && isBlank(text.charAt(last - 1))) {
            last--;
        }
        line += (int) text.substring(next, end).chars().filter(c -> c == '\n').count();
        next = end + 1;
        return new Token(Kind.BLOCK, text.substring(first, last), open);
    }

    private String run(CharTest accepts) {
        int start = next;
        while (next < text.length() && accepts.test(text.charAt(next))) {
            next++;
        }
        return text.substring(start, next);
    }

    private Position here() {
        return new Position(file, line);
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isNamePart(char c) {
        return isLetter(c) || isDigit(c) || c == '$';
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\f';
    }

    private static boolean isSpace(char c) {
        return isBlank(c) || c == '\n' || c == '\u000B';
    }

    private interface CharTest {
        boolean test(char c);
    }
}
