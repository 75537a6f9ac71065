package dev.tiebreak;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A table of yours and the columns of the unique key by which a race names its rows.
 *
 * <p>Names are taken exactly as PostgreSQL stores them and quoted once, here: schemas, mixed case, reserved words and
 * names with quotes in them all work, and none of them can become SQL. Nothing is read from the database; a table or
 * column that does not exist is named in the error of its first use (42P01, 42703). Immutable and thread-safe.
 *
 * <pre>{@code
 * static final Table STOCK = Table.of("shop", "stock").keyedBy("item_id");
 * Key tea = STOCK.key("item_id", 7L);
 * }</pre>
 */
public final class Table {
    private final List<String> path;
    private final List<String> keyColumns;
    private final String sql;

    private Table(List<String> path, List<String> keyColumns) {
        this.path = path;
        this.keyColumns = keyColumns;
        this.sql = path.stream().map(Table::quoted).collect(Collectors.joining("."));
    }

    /** A table found through the connection's {@code search_path}. */
    public static Table of(String name) {
        return new Table(List.of(identifier(name)), List.of());
    }

    /** A table in a schema. */
    public static Table of(String schema, String name) {
        return new Table(List.of(identifier(schema), identifier(name)), List.of());
    }

    /** The same table, its rows named by these columns: a primary key or another unique key. */
    public Table keyedBy(String... columns) {
        if (columns.length == 0) {
            throw new IllegalArgumentException("the key of " + this + " needs at least one column");
        }
        List<String> names = new ArrayList<>();
        for (String column : columns) {
            names.add(identifier(column));
        }
        if (new HashSet<>(names).size() != names.size()) {
            throw new IllegalArgumentException("the key of " + this + " names a column twice: " + names);
        }
        return new Table(path, List.copyOf(names));
    }

    /** The key of one row, where the key is one column. */
    public Key key(String column, Object value) {
        return Key.of(this, column, value);
    }

    /** The key of one row, where the key is two columns, in any order. */
    public Key key(String column1, Object value1, String column2, Object value2) {
        return Key.of(this, column1, value1, column2, value2);
    }

    /** The key of one row, where the key is three columns, in any order. */
    public Key key(String column1, Object value1, String column2, Object value2, String column3, Object value3) {
        return Key.of(this, column1, value1, column2, value2, column3, value3);
    }

    /** The columns of the key in their order; empty until {@link #keyedBy} was called. */
    public List<String> keyColumns() {
        return keyColumns;
    }

    /** The table's name as SQL: quoted, with its schema if it has one. */
    public String sql() {
        return sql;
    }

    /** The condition that names one row, such as {@code "item_id" = ?}; {@link Binds#add(Key)} binds it. */
    public String keyMatches() {
        return keyMatches("");
    }

    /** The same for a table that has an alias in the statement, such as {@code t."item_id" = ?} for {@code "t."}. */
    public String keyMatches(String prefix) {
        if (keyColumns.isEmpty()) {
            throw new IllegalStateException("say which columns name a row of " + this + ": .keyedBy(\"…\")");
        }
        return keyColumns.stream().map(c -> prefix + quoted(c) + " = ?").collect(Collectors.joining(" AND "));
    }

    /** Any identifier as SQL: in double quotes, quotes in it doubled. */
    public static String quoted(String identifier) {
        return '"' + identifier(identifier).replace("\"", "\"\"") + '"';
    }

    private static String identifier(String name) {
        if (name.isEmpty() || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "not a name PostgreSQL can store: \"" + name.replace("\0", "\\0") + "\"");
        }
        return name;
    }

    @Override
    public boolean equals(Object other) {
        return other == this || (other instanceof Table t && path.equals(t.path) && keyColumns.equals(t.keyColumns));
    }

    @Override
    public int hashCode() {
        return 31 * path.hashCode() + keyColumns.hashCode();
    }

    /** Such as {@code shop.stock}: for messages, not for SQL. */
    @Override
    public String toString() {
        return String.join(".", path);
    }
}
