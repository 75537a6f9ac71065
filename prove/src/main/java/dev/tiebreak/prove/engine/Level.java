package dev.tiebreak.prove.engine;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The isolation levels that PostgreSQL tells apart. */
public enum Level {
    /** Every statement has a snapshot of its own. */
    READ_COMMITTED,
    /** One snapshot a transaction, taken by its first statement. */
    REPEATABLE_READ,
    /** The same, and the server watches what was read. */
    SERIALIZABLE;

    /** The level that a piece of SQL asks for; null if it asks for none. What cannot be read is taken as the strictest. */
    static @Nullable Level in(String sql) {
        String text = sql.toLowerCase(Locale.ROOT);
        if (!text.contains("isolation")) {
            return null;
        }
        if (text.contains("serializable")) {
            return SERIALIZABLE;
        }
        if (text.contains("repeatable")) {
            return REPEATABLE_READ;
        }
        return text.contains("committed") ? READ_COMMITTED : SERIALIZABLE;
    }

    /** As the server writes it. */
    static Level of(String setting) {
        return valueOf(setting.strip().toUpperCase(Locale.ROOT).replace(' ', '_'));
    }

    /** As the manual writes it. */
    public String text() {
        return name().replace('_', ' ');
    }
}
