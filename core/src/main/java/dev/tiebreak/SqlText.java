package dev.tiebreak;

import java.util.Locale;

/** Reads just enough of SQL text to know whether one of its statements ends the transaction. */
final class SqlText {
    private SqlText() {}

    /** The command that ends the transaction, such as {@code COMMIT}; empty if none does. */
    static String endOfTransaction(String sql) {
        String command = commandAt(sql, skipBlank(sql, 0));
        int end = command.isEmpty() ? sql.indexOf(';') : -1;
        if (end < 0 || skipBlank(sql, end) == sql.length()) {
            return command;
        }
        // Several statements, or a semicolon in a literal: look at each. END may close a BEGIN ATOMIC there.
        for (int at = endOfStatement(sql, 0); at < sql.length(); at = endOfStatement(sql, at)) {
            at = skipBlank(sql, at);
            command = commandAt(sql, at);
            if (!command.isEmpty() && !command.equals("END")) {
                return command;
            }
        }
        return "";
    }

    private static String commandAt(String sql, int at) {
        if (at == sql.length() || "cCeErRaApP".indexOf(sql.charAt(at)) < 0) {
            return "";
        }
        String first = word(sql, at);
        int next = at + first.length();
        return switch (first) {
            case "COMMIT", "END", "ABORT" -> first;
            case "ROLLBACK" -> toSavepoint(sql, next) ? "" : first;
            case "PREPARE" -> word(sql, skipBlank(sql, next)).equals("TRANSACTION") ? "PREPARE TRANSACTION" : "";
            default -> "";
        };
    }

    /** Whether ROLLBACK goes on as {@code [WORK | TRANSACTION] TO [SAVEPOINT] name}. */
    private static boolean toSavepoint(String sql, int from) {
        int at = skipBlank(sql, from);
        String next = word(sql, at);
        if (next.equals("WORK") || next.equals("TRANSACTION")) {
            next = word(sql, skipBlank(sql, at + next.length()));
        }
        return next.equals("TO");
    }

    private static String word(String sql, int from) {
        int end = from;
        while (end < sql.length() && (Character.isLetter(sql.charAt(end)) || sql.charAt(end) == '_')) {
            end++;
        }
        return sql.substring(from, end).toUpperCase(Locale.ROOT);
    }

    /** Just behind the next semicolon that separates statements, or the end of the text. */
    private static int endOfStatement(String sql, int from) {
        int at = from;
        while (at < sql.length()) {
            int next = skipBlankOnly(sql, at);
            if (next > at) {
                at = next;
                continue;
            }
            char c = sql.charAt(at);
            if (c == ';') {
                return at + 1;
            }
            at = switch (c) {
                case '\'' -> pastQuote(sql, at, at > 0 && "eE".indexOf(sql.charAt(at - 1)) >= 0);
                case '"' -> pastQuote(sql, at, false);
                case '$' -> pastDollars(sql, at);
                default -> at + 1;
            };
        }
        return at;
    }

    /** Past a quoted text; a doubled quote in it ends one and begins another, which comes to the same. */
    private static int pastQuote(String sql, int from, boolean backslashes) {
        char quote = sql.charAt(from);
        int at = from + 1;
        while (at < sql.length() && sql.charAt(at) != quote) {
            at += backslashes && sql.charAt(at) == '\\' ? 2 : 1;
        }
        return Math.min(sql.length(), at + 1);
    }

    /** Past {@code $tag$ … $tag$}; a dollar sign that opens no such text is passed by itself. */
    private static int pastDollars(String sql, int from) {
        int tag = sql.indexOf('$', from + 1);
        boolean inName = from > 0 && Character.isJavaIdentifierPart(sql.charAt(from - 1));
        if (inName || tag < 0 || !sql.substring(from + 1, tag).matches("|[\\p{L}_][\\p{L}\\d_]*")) {
            return from + 1;
        }
        String mark = sql.substring(from, tag + 1);
        int end = sql.indexOf(mark, tag + 1);
        return end < 0 ? sql.length() : end + mark.length();
    }

    /** Past white space, comments and empty statements. */
    private static int skipBlank(String sql, int from) {
        int at = skipBlankOnly(sql, from);
        while (at < sql.length() && sql.charAt(at) == ';') {
            at = skipBlankOnly(sql, at + 1);
        }
        return at;
    }

    private static int skipBlankOnly(String sql, int from) {
        int at = from;
        while (at < sql.length()) {
            if (Character.isWhitespace(sql.charAt(at))) {
                at++;
            } else if (sql.startsWith("--", at)) {
                int line = sql.indexOf('\n', at);
                at = line < 0 ? sql.length() : line + 1;
            } else if (sql.startsWith("/*", at)) {
                at = pastComment(sql, at + 2);
            } else {
                break;
            }
        }
        return at;
    }

    /** Past the end of a block comment; they nest. */
    private static int pastComment(String sql, int from) {
        int depth = 1;
        int at = from;
        while (at < sql.length() && depth > 0) {
            if (sql.startsWith("/*", at)) {
                depth++;
                at += 2;
            } else if (sql.startsWith("*/", at)) {
                depth--;
                at += 2;
            } else {
                at++;
            }
        }
        return at;
    }
}
