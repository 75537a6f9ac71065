package dev.tiebreak.app.bench;

import dev.tiebreak.Table;
import dev.tiebreak.app.Scratch;
import java.sql.SQLException;

/** The goods of one strategy: its table in the schema of the run, how it is filled, and what is left on it. */
final class Shelf {
    /** How many shards the split counter has. */
    static final int SHARDS = 8;

    /** The name of the CHECK constraint. */
    static final String CHECK = "never_negative";

    private final Scratch scratch;
    private final Kind kind;

    private Shelf(Scratch scratch, Kind kind) {
        this.scratch = scratch;
        this.kind = kind;
    }

    /** Creates the table that the strategy works on, unless it is there. */
    static Shelf of(Scratch scratch, Strategy strategy) throws SQLException {
        Kind kind =
                switch (strategy) {
                    case CONSTRAINT -> Kind.CHECKED;
                    case SPLIT -> Kind.SHARDS;
                    case UNITS -> Kind.UNITS;
                    default -> Kind.COUNTER;
                };
        scratch.run(kind.ddl.replace("$", scratch.schema() + ".").split(";\n"));
        return new Shelf(scratch, kind);
    }

    /** The table, its rows named by their key. */
    Table table() {
        Table table = Table.of(scratch.schema(), kind.table);
        return switch (kind) {
            case COUNTER, CHECKED -> table.keyedBy("item_id");
            case SHARDS -> table.keyedBy("item_id");
            case UNITS -> table.keyedBy("unit_id");
        };
    }

    /** Empties it and puts so many units of each of the items 1 to {@code items} on it. */
    void restock(long items, long unitsEach) throws SQLException {
        String table = table().sql();
        scratch.run(
                "TRUNCATE " + table,
                switch (kind) {
                    case COUNTER, CHECKED ->
                        "INSERT INTO " + table + " (item_id, qty) SELECT i, " + unitsEach + " FROM generate_series(1, "
                                + items + ") AS i";
                    case SHARDS ->
                        "INSERT INTO %s (item_id, shard, qty) SELECT i, s, %d / %d + CASE WHEN s < %d %% %d THEN 1 ELSE 0 END"
                                        .formatted(table, unitsEach, SHARDS, unitsEach, SHARDS)
                                + " FROM generate_series(1, " + items + ") AS i, generate_series(0, " + (SHARDS - 1)
                                + ") AS s";
                    case UNITS ->
                        "INSERT INTO " + table + " (item_id) SELECT i FROM generate_series(1, " + unitsEach
                                + "), generate_series(1, " + items + ") AS i";
                },
                "VACUUM (ANALYZE) " + table);
    }

    /** Units left, of all items together. */
    long left() throws SQLException {
        return scratch.number("SELECT coalesce(" + count() + ", 0) FROM " + table().sql());
    }

    /** Units left of the item that has the fewest. */
    long fewestLeft() throws SQLException {
        return scratch.number("SELECT min(n) FROM (SELECT coalesce(" + count() + ", 0) AS n FROM " + table().sql()
                + " GROUP BY item_id) AS item");
    }

    private String count() {
        return kind == Kind.UNITS ? "count(*) FILTER (WHERE status = 'free')" : "sum(qty)";
    }

    private enum Kind {
        COUNTER("stock", """
                CREATE TABLE IF NOT EXISTS $stock (
                    item_id bigint PRIMARY KEY, qty bigint NOT NULL, version bigint NOT NULL DEFAULT 0)"""),
        CHECKED("checked_stock", """
                CREATE TABLE IF NOT EXISTS $checked_stock (
                    item_id bigint PRIMARY KEY, qty bigint NOT NULL CONSTRAINT never_negative CHECK (qty >= 0))"""),
        SHARDS("split_stock", """
                CREATE TABLE IF NOT EXISTS $split_stock (
                    item_id bigint, shard int, qty bigint NOT NULL, PRIMARY KEY (item_id, shard))"""),
        UNITS("unit", """
                CREATE TABLE IF NOT EXISTS $unit (
                    unit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item_id bigint NOT NULL,
                    status text NOT NULL DEFAULT 'free');
                CREATE INDEX IF NOT EXISTS unit_free ON $unit (item_id, unit_id) WHERE status = 'free'""");

        private final String table;
        private final String ddl;

        Kind(String table, String ddl) {
            this.table = table;
            this.ddl = ddl;
        }
    }
}
