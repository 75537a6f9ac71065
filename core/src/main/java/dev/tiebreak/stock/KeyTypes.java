package dev.tiebreak.stock;

import dev.tiebreak.Key;
import dev.tiebreak.Table;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The types of a table's key columns, with which many keys travel as one array a column, whatever their number.
 *
 * @param types as SQL, one a key column
 */
record KeyTypes(Table table, List<String> types) {
    /** Whole numbers go as binary {@code bigint[]}; everything else as text, cast by the server. */
    private static final Set<String> WHOLE = Set.of("smallint", "integer", "bigint");

    /** Asks the catalog: one round trip. A table or column that does not exist is named in the error (42P01, 42703). */
    static KeyTypes of(Connection connection, Table table) throws SQLException {
        String sql = """
                SELECT attname, format_type(atttypid, -1) FROM pg_attribute
                WHERE attrelid = CAST(? AS regclass) AND attnum > 0 AND NOT attisdropped""";
        Map<String, String> found = new HashMap<>();
        try (PreparedStatement s = connection.prepareStatement(sql)) {
            s.setString(1, table.sql());
            try (ResultSet rows = s.executeQuery()) {
                while (rows.next()) {
                    found.put(rows.getString(1), rows.getString(2));
                }
            }
        }
        List<String> types = new ArrayList<>();
        for (String column : table.keyColumns()) {
            String type = found.get(column);
            if (type == null) {
                throw new SQLException("column \"" + column + "\" of " + table + " does not exist", "42703");
            }
            types.add(type);
        }
        return new KeyTypes(table, List.copyOf(types));
    }

    /** The parameters of {@code unnest}, such as {@code CAST(? AS bigint[]), CAST(CAST(? AS text[]) AS uuid[])}. */
    String arrays() {
        return types.stream()
                .map(t -> WHOLE.contains(t) ? "CAST(? AS bigint[])" : "CAST(CAST(? AS text[]) AS " + t + "[])")
                .collect(Collectors.joining(", "));
    }

    /** Their names as columns of what they unnest to: {@code k1, k2}, each with the prefix. */
    String names(String prefix) {
        return each(i -> prefix + "k" + i, ", ");
    }

    /** The table's own columns: {@code t."org_id", t."id"}. */
    String columns() {
        return each(i -> "t." + Table.quoted(table.keyColumns().get(i - 1)), ", ");
    }

    /** The table's own columns under the names: {@code t."org_id" AS k1, t."id" AS k2}. */
    String columnsAsNames() {
        return each(i -> "t." + Table.quoted(table.keyColumns().get(i - 1)) + " AS k" + i, ", ");
    }

    /** The join of the table with them: {@code t."org_id" = w.k1 AND t."id" = w.k2}. */
    String join(String prefix) {
        return each(i -> "t." + Table.quoted(table.keyColumns().get(i - 1)) + " = " + prefix + "k" + i, " AND ");
    }

    /** Binds one array a key column, the first at {@code index}. */
    void bind(Connection connection, PreparedStatement s, int index, List<Key> keys) throws SQLException {
        for (int column = 0; column < types.size(); column++) {
            Array array;
            if (WHOLE.contains(types.get(column))) {
                Long[] values = new Long[keys.size()];
                for (int i = 0; i < values.length; i++) {
                    values[i] = whole(keys.get(i).values().get(column));
                }
                array = connection.createArrayOf("int8", values);
            } else {
                String[] values = new String[keys.size()];
                for (int i = 0; i < values.length; i++) {
                    values[i] = text(keys.get(i).values().get(column));
                }
                array = connection.createArrayOf("text", values);
            }
            s.setArray(index + column, array);
        }
    }

    static Long[] box(long[] values) {
        return Arrays.stream(values).boxed().toArray(Long[]::new);
    }

    /** The key that these texts stand for: whole numbers are numbers again, uuids are uuids, all else stays text. */
    Key key(String[] texts) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            String type = types.get(i);
            if (WHOLE.contains(type)) {
                values.add(Long.valueOf(texts[i]));
            } else {
                values.add(type.equals("uuid") ? UUID.fromString(texts[i]) : texts[i]);
            }
        }
        return new Key(table, values);
    }

    private String each(IntFunction<String> part, String separator) {
        return IntStream.rangeClosed(1, types.size()).mapToObj(part).collect(Collectors.joining(separator));
    }

    private static Long whole(Object value) {
        return value instanceof Long n ? n : Long.valueOf(value.toString());
    }

    private static String text(Object value) {
        return value instanceof byte[] bytes ? "\\x" + HexFormat.of().formatHex(bytes) : value.toString();
    }
}
