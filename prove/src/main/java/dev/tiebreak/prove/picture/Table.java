package dev.tiebreak.prove.picture;

import java.util.List;
import java.util.Optional;

/**
 * What stands in a table, or answers a query, at the end of the run, beside what one order of the transactions would have
 * left.
 *
 * @param name the table, or the name of the invariant or state
 * @param columns their names
 * @param rows after this run; absence is SQL NULL
 * @param order the serial order compared with, such as {@code ana, then ben}; empty if none fits better than another
 * @param expected after that order
 */
public record Table(
        String name,
        List<String> columns,
        List<List<Optional<String>>> rows,
        String order,
        List<List<Optional<String>>> expected) {
    /** Takes copies of the lists. */
    public Table {
        columns = List.copyOf(columns);
        rows = rows.stream().map(List::copyOf).toList();
        expected = expected.stream().map(List::copyOf).toList();
    }
}
