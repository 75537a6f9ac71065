package dev.tiebreak.stock;

import dev.tiebreak.Key;
import dev.tiebreak.Table;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The column that is counted, and the names that a statement about it needs.
 *
 * @param version the column to raise by one with every change; empty if there is none
 * @param shard the column that tells the rows of one key apart; empty if a key is one row
 */
record Count(Table table, String quantity, String version, String shard) {
    private static final Pattern NAME = Pattern.compile("\\{([a-z. ]+)}");

    Count {
        if (quantity.isEmpty()) {
            throw new IllegalArgumentException("the quantity of " + table + " needs a column");
        }
        if (table.keyColumns().isEmpty()) {
            throw new IllegalArgumentException("say which columns name a row of " + table + ": .keyedBy(\"…\")");
        }
    }

    Count(Table table, String quantity) {
        this(table, quantity, "", "");
    }

    Count versioned(String column) {
        return new Count(table, quantity, named(column), shard);
    }

    Count sharded(String column) {
        return new Count(table, quantity, version, named(column));
    }

    void check(Key key, long n) {
        if (n < 1) {
            throw new IllegalArgumentException("n must be at least 1, not " + n + ", for " + key);
        }
        if (!key.table().equals(table)) {
            throw new IllegalArgumentException(key + " is not a key of " + table + table.keyColumns());
        }
    }

    /**
     * Fills the names into a statement, quoted: {@code {table}}, {@code {qty}}, {@code {key}} and {@code {t.key}} (the
     * condition with its parameters), {@code {level}}, {@code {version}}, {@code {shard}}, {@code {raise}} (raises the version, or nothing),
     * and others given as pairs.
     */
    String sql(String template, Level level, String... others) {
        Map<String, String> names = new HashMap<>();
        names.put("table", table.sql());
        names.put("qty", Table.quoted(quantity));
        names.put("key", table.keyMatches());
        names.put("t.key", table.keyMatches("t."));
        names.put("level", level.holds());
        names.put("raise", "");
        if (!version.isEmpty()) {
            String column = Table.quoted(version);
            names.put("version", column);
            names.put("raise", ", " + column + " = t." + column + " + 1");
        }
        if (!shard.isEmpty()) {
            names.put("shard", shardSql());
        }
        for (int i = 0; i < others.length; i += 2) {
            names.put(others[i], others[i + 1]);
        }
        return NAME.matcher(template).replaceAll(m -> {
            String value = names.get(m.group(1));
            if (value == null) {
                throw new IllegalArgumentException("no name {" + m.group(1) + "}");
            }
            return Matcher.quoteReplacement(value);
        });
    }

    String shardSql() {
        return Table.quoted(shard);
    }

    private String named(String column) {
        if (column.isEmpty()) {
            throw new IllegalArgumentException("a column of " + table + " needs a name");
        }
        return column;
    }

    /** Such as {@code shop.stock.qty}: for messages. */
    @Override
    public String toString() {
        return table + "." + quantity;
    }
}
