package dev.tiebreak.row;

import dev.tiebreak.Table;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What the statements of {@link FreeRows} are written from: everything but the values.
 *
 * @param claiming what a claim writes
 * @param freeing what giving back writes
 * @param columns what a claimed row hands out
 */
record FreeSql(
        Table table, String where, String orderBy, List<Column> claiming, List<Column> freeing, List<String> columns) {

    /** A column and the SQL of its new value, which is {@code ?} for a value. */
    record Column(String name, String expression) {
        static final String VALUE = "?";

        Column {
            String unused = Table.quoted(name);
        }

        boolean isValue() {
            return expression.equals(VALUE);
        }

        private String assignment() {
            return Table.quoted(name) + " = " + (isValue() ? VALUE : "(" + expression + "\n)");
        }
    }

    /** A column, and the values of its expression. */
    record Assignment(Column column, List<@Nullable Object> values) {}

    /*
     * Binds: those of `where` and of `orderBy`, n, those of the claim's columns, those of `where` once more. The last column
     * of a claimed row is its place, from 1. One row with place 0 says that free rows exist, all of them held.
     */
    String claim() {
        String order = orderBy.isEmpty() ? "" : "\n    ORDER BY " + orderBy + "\n   ";
        return """
                WITH free AS MATERIALIZED (
                    SELECT %1$s FROM %2$s t WHERE (%3$s
                    )%4$s LIMIT ? FOR NO KEY UPDATE SKIP LOCKED),
                numbered AS (
                    SELECT free.*, row_number() OVER () AS tiebreak_place FROM free),
                claimed AS (
                    UPDATE %2$s t SET %5$s FROM numbered WHERE %6$s RETURNING %7$s, tiebreak_place)
                (SELECT * FROM claimed ORDER BY tiebreak_place)
                UNION ALL
                SELECT %8$s, 0 WHERE NOT EXISTS (SELECT FROM free) AND EXISTS (
                    SELECT FROM %2$s t WHERE (%3$s
                    ))""".formatted(
                        each(i -> "t." + key(i) + " AS tiebreak_" + i, ", "),
                        table.sql(),
                        where,
                        order,
                        assignments(claiming),
                        each(i -> "t." + key(i) + " = tiebreak_" + i, " AND "),
                        columns.stream().map(c -> "t." + Table.quoted(c)).collect(Collectors.joining(", ")),
                        columns.stream().map(c -> "NULL").collect(Collectors.joining(", ")));
    }

    /** Binds: those of the freed columns, the key, the values that the claim wrote. */
    String giveBack() {
        String held = claiming.stream()
                .filter(Column::isValue)
                .map(c -> " AND t." + Table.quoted(c.name()) + " IS NOT DISTINCT FROM ?")
                .collect(Collectors.joining());
        return "UPDATE " + table.sql() + " t SET " + assignments(freeing) + " WHERE " + table.keyMatches("t.") + held;
    }

    private String key(int i) {
        return Table.quoted(table.keyColumns().get(i - 1));
    }

    private String each(IntFunction<String> part, String separator) {
        return IntStream.rangeClosed(1, table.keyColumns().size())
                .mapToObj(part)
                .collect(Collectors.joining(separator));
    }

    private static String assignments(List<Column> columns) {
        return columns.stream().map(Column::assignment).collect(Collectors.joining(", "));
    }
}
