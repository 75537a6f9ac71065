package dev.tiebreak.row;

import dev.tiebreak.Table;
import dev.tiebreak.internal.Race;
import dev.tiebreak.internal.Texts;
import dev.tiebreak.row.FreeSql.Assignment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The words of {@link FreeRows}, but for what a claimed row is handed out as. */
record FreeOptions(
        Table table,
        Clause where,
        Clause orderBy,
        List<Assignment> claiming,
        List<Assignment> freeing,
        int attempts,
        Race race,
        Texts<FreeSql> claims,
        Texts<FreeSql> gifts) {

    static FreeOptions of(Table table) {
        return new FreeOptions(
                table,
                new Clause("TRUE", List.of()),
                new Clause("", List.of()),
                List.of(),
                List.of(),
                4,
                Race.of(table.toString()),
                new Texts<>(FreeSql::claim),
                new Texts<>(FreeSql::giveBack));
    }

    FreeSql shape(List<String> columns) {
        return new FreeSql(table, where.sql(), orderBy.sql(), columns(claiming), columns(freeing), columns);
    }

    FreeOptions where(Clause other) {
        return new FreeOptions(table, other, orderBy, claiming, freeing, attempts, race, claims, gifts);
    }

    FreeOptions orderBy(Clause other) {
        return new FreeOptions(table, where, other, claiming, freeing, attempts, race, claims, gifts);
    }

    FreeOptions claiming(Assignment more) {
        return new FreeOptions(table, where, orderBy, plus(claiming, more), freeing, attempts, race, claims, gifts);
    }

    FreeOptions freeing(Assignment more) {
        return new FreeOptions(table, where, orderBy, claiming, plus(freeing, more), attempts, race, claims, gifts);
    }

    FreeOptions attempts(int atMost) {
        return new FreeOptions(table, where, orderBy, claiming, freeing, atMost, race, claims, gifts);
    }

    FreeOptions race(Race other) {
        return new FreeOptions(table, where, orderBy, claiming, freeing, attempts, other, claims, gifts);
    }

    private static List<FreeSql.Column> columns(List<Assignment> list) {
        return list.stream().map(Assignment::column).toList();
    }

    private static List<Assignment> plus(List<Assignment> list, Assignment more) {
        List<Assignment> all = new ArrayList<>(list);
        all.removeIf(a -> a.column().name().equals(more.column().name()));
        all.add(more);
        return List.copyOf(all);
    }

    /** A piece of SQL and the values of its parameters. */
    record Clause(String sql, List<Object> values) {
        static Clause of(String sql, Object... values) {
            return new Clause(sql, List.copyOf(Arrays.asList(values)));
        }
    }
}
