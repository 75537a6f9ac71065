package dev.tiebreak;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The values that name one row of a {@link Table}, in the order of the table's key columns.
 *
 * <p>Made by {@link Table#key}. Immutable and thread-safe; two keys are equal if table and values are.
 * A whole number is the same whether it came as {@code byte}, {@code short}, {@code int} or {@code long}: it is kept as
 * {@code Long}.
 *
 * @param table the table whose row it names
 * @param values the key columns' values in the table's order
 */
public record Key(Table table, List<Object> values) {
    /** Checks that there is one value a key column. */
    public Key {
        values = values.stream().map(Key::canonical).toList();
        if (values.size() != table.keyColumns().size()) {
            throw new IllegalArgumentException("the key of " + table + " has columns " + table.keyColumns() + ", but "
                    + values.size() + " values were given");
        }
    }

    private static Object canonical(Object value) {
        if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).longValue();
        }
        return Objects.requireNonNull(value, "a column of a key is never null");
    }

    static Key of(Table table, Object... namesAndValues) {
        List<Object> values = new ArrayList<>(table.keyColumns().size());
        for (String column : table.keyColumns()) {
            values.add(valueOf(table, column, namesAndValues));
        }
        if (namesAndValues.length != 2 * values.size()) {
            throw new IllegalArgumentException("the key of " + table + " has columns " + table.keyColumns() + ", but "
                    + namesAndValues.length / 2 + " were given");
        }
        return new Key(table, values);
    }

    private static Object valueOf(Table table, String column, Object... namesAndValues) {
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (column.equals(namesAndValues[i])) {
                return namesAndValues[i + 1];
            }
        }
        throw new IllegalArgumentException(
                "the key of " + table + " needs a value for column \"" + column + "\", which was not given");
    }

    /** Such as {@code shop.stock(item_id=7)}: for messages, not for SQL. */
    @Override
    public String toString() {
        return IntStream.range(0, values.size())
                .mapToObj(i -> table.keyColumns().get(i) + "=" + values.get(i))
                .collect(Collectors.joining(", ", table + "(", ")"));
    }
}
