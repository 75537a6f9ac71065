package dev.tiebreak.prove.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The words of a piece of SQL, without its comments: what the engine needs to know about a statement, no grammar.
 *
 * <p>Unquoted identifiers and keywords are folded to lower case as the server does; quoted ones keep their case; a string
 * constant is one word that begins with an apostrophe; every other character is a word of its own.
 */
public final class Words {
    private final String sql;
    private final List<Word> words = new ArrayList<>();
    private int at;

    /**
     * One word.
     *
     * @param text folded, without quotes; of a string constant with one apostrophe in front
     * @param start where it begins in the SQL
     * @param end where it ends, exclusive
     * @param identifier whether it is a name or keyword
     */
    record Word(String text, int start, int end, boolean identifier) {
        boolean is(String other) {
            return text.equals(other);
        }
    }

    private Words(String sql) {
        this.sql = sql;
    }

    /** All words of the SQL. */
    static List<Word> of(String sql) {
        Words words = new Words(sql);
        words.scan();
        return words.words;
    }

    /** The words of each statement of the SQL, without the semicolons; empty statements are left out. */
    static List<List<Word>> statements(String sql) {
        List<List<Word>> statements = new ArrayList<>();
        List<Word> current = new ArrayList<>();
        for (Word word : of(sql)) {
            if (word.is(";")) {
                if (!current.isEmpty()) {
                    statements.add(current);
                    current = new ArrayList<>();
                }
            } else {
                current.add(word);
            }
        }
        if (!current.isEmpty()) {
            statements.add(current);
        }
        return statements;
    }

    /** Whether the last statement fixes the order of its rows. */
    static boolean ordered(List<Word> statement) {
        int depth = 0;
        for (int i = 0; i < statement.size(); i++) {
            Word word = statement.get(i);
            if (word.is("(")) {
                depth++;
            } else if (word.is(")")) {
                depth--;
            } else if (depth == 0
                    && word.is("order")
                    && word.identifier()
                    && i + 1 < statement.size()
                    && statement.get(i + 1).is("by")) {
                return true;
            }
        }
        return false;
    }

    private void scan() {
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (Character.isWhitespace(c)) {
                at++;
            } else if (sql.startsWith("--", at)) {
                int end = sql.indexOf('\n', at);
                at = end < 0 ? sql.length() : end;
            } else if (sql.startsWith("/*", at)) {
                blockComment();
            } else if (c == '\'') {
                string(at, false);
            } else if (c == '"') {
                quotedIdentifier();
            } else if (c == '$') {
                dollar();
            } else if (Character.isLetter(c) || c == '_') {
                identifier();
            } else if (Character.isDigit(c)) {
                int start = at;
                while (at < sql.length() && (Character.isLetterOrDigit(sql.charAt(at)) || sql.charAt(at) == '.')) {
                    at++;
                }
                add(sql.substring(start, at), start, false);
            } else {
                at++;
                add(String.valueOf(c), at - 1, false);
            }
        }
    }

    private void add(String text, int start, boolean identifier) {
        words.add(new Word(text, start, at, identifier));
    }

    private void blockComment() {
        int depth = 0;
        do {
            if (sql.startsWith("/*", at)) {
                depth++;
                at += 2;
            } else if (sql.startsWith("*/", at)) {
                depth--;
                at += 2;
            } else {
                at++;
            }
        } while (depth > 0 && at < sql.length());
    }

    private void string(int start, boolean escapes) {
        at++;
        StringBuilder text = new StringBuilder("'");
        while (at < sql.length()) {
            char c = sql.charAt(at++);
            if (escapes && c == '\\' && at < sql.length()) {
                text.append(c).append(sql.charAt(at++));
            } else if (c != '\'') {
                text.append(c);
            } else if (at < sql.length() && sql.charAt(at) == '\'') {
                text.append(c);
                at++;
            } else {
                break;
            }
        }
        add(text.toString(), start, false);
    }

    private void quotedIdentifier() {
        int start = at++;
        StringBuilder text = new StringBuilder();
        while (at < sql.length()) {
            char c = sql.charAt(at++);
            if (c != '"') {
                text.append(c);
            } else if (at < sql.length() && sql.charAt(at) == '"') {
                text.append(c);
                at++;
            } else {
                break;
            }
        }
        add(text.toString(), start, true);
    }

    private void dollar() {
        int start = at;
        int tagEnd = at + 1;
        while (tagEnd < sql.length() && (Character.isLetter(sql.charAt(tagEnd)) || sql.charAt(tagEnd) == '_')) {
            tagEnd++;
        }
        if (tagEnd < sql.length() && sql.charAt(tagEnd) == '$') {
            String tag = sql.substring(start, tagEnd + 1);
            int end = sql.indexOf(tag, tagEnd + 1);
            at = end < 0 ? sql.length() : end + tag.length();
            add("'" + sql.substring(tagEnd + 1, end < 0 ? at : end), start, false);
        } else {
            at++;
            add("$", start, false);
        }
    }

    private void identifier() {
        int start = at;
        while (at < sql.length()
                && (Character.isLetterOrDigit(sql.charAt(at)) || sql.charAt(at) == '_' || sql.charAt(at) == '$')) {
            at++;
        }
        String text = sql.substring(start, at);
        boolean escapes = text.equalsIgnoreCase("e");
        boolean prefix =
                escapes || text.equalsIgnoreCase("b") || text.equalsIgnoreCase("x") || text.equalsIgnoreCase("n");
        if (prefix && at < sql.length() && sql.charAt(at) == '\'') {
            string(start, escapes);
        } else {
            add(text.toLowerCase(Locale.ROOT), start, true);
        }
    }
}
