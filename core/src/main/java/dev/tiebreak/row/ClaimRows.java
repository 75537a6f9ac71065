package dev.tiebreak.row;

import dev.tiebreak.Key;
import dev.tiebreak.Table;
import dev.tiebreak.internal.LockWait;
import dev.tiebreak.internal.Query;
import dev.tiebreak.internal.Race;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The statements of {@link Claims}: each tries one change of one row, or reads it. Their text is built once. */
final class ClaimRows<H> {
    /** No row was changed. */
    static final long NONE = -1;

    private final Table table;
    private final Class<H> type;
    private final String insert;
    private final String update;
    private final String delete;
    private final String read;

    ClaimRows(Table table, String holderColumn, Class<H> type, String versionColumn) {
        String holder = Table.quoted(holderColumn);
        String version = Table.quoted(versionColumn);
        String keys = table.keyColumns().stream().map(Table::quoted).collect(Collectors.joining(", "));
        String marks =
                Stream.generate(() -> "?").limit(table.keyColumns().size()).collect(Collectors.joining(", "));
        this.table = table;
        this.type = type;
        this.insert = """
                INSERT INTO %1$s (%2$s, %3$s, %4$s)
                VALUES (%5$s, ?, CAST(CAST(pg_current_xact_id() AS text) AS bigint))
                ON CONFLICT (%2$s) DO NOTHING RETURNING %4$s""".formatted(table.sql(), keys, holder, version, marks);
        this.update = """
                UPDATE %1$s SET %3$s = ?, %4$s = CAST(CAST(pg_current_xact_id() AS text) AS bigint)
                WHERE %2$s AND %4$s = ? RETURNING %4$s""".formatted(table.sql(), table.keyMatches(), holder, version);
        this.delete = "DELETE FROM %s WHERE %s AND %3$s = ? RETURNING %3$s"
                .formatted(table.sql(), table.keyMatches(), version);
        this.read = "SELECT %s, %s FROM %s WHERE %s".formatted(holder, version, table.sql(), table.keyMatches());
    }

    Table table() {
        return table;
    }

    void check(Key key) {
        if (!key.table().equals(table)) {
            throw new IllegalArgumentException(key + " is not a key of " + table + table.keyColumns());
        }
    }

    /** One try to change a row: its new version (for a row that is deleted, its last one), {@link #NONE}, or null if the wait was over. */
    @FunctionalInterface
    interface Change {
        @Nullable
        Long run(Connection connection, Race.Round round, LockWait wait) throws SQLException;
    }

    Change insert(Key key, H holder) {
        return change(insert, binds -> {
            binds.add(key);
            binds.addObject(holder);
        });
    }

    Change update(Key key, long seenVersion, H holder) {
        return change(update, binds -> {
            binds.addObject(holder);
            binds.add(key);
            binds.add(seenVersion);
        });
    }

    Change delete(Key key, long seenVersion) {
        return change(delete, binds -> {
            binds.add(key);
            binds.add(seenVersion);
        });
    }

    Claims.Claim.@Nullable OwnedBy<H> read(Connection connection, Key key) throws SQLException {
        return Query.<Claims.Claim.@Nullable OwnedBy<H>>run(connection, read, binds -> binds.add(key), this::owner);
    }

    private Claims.Claim.@Nullable OwnedBy<H> owner(ResultSet rows) throws SQLException {
        return rows.next() ? new Claims.Claim.OwnedBy<>(Query.value(rows, 1, type), rows.getLong(2)) : null;
    }

    private Change change(String sql, Query.Bind bind) {
        return (connection, round, wait) -> wait.<Long>run(connection, round, sql, bind, this::version);
    }

    private long version(ResultSet rows) throws SQLException {
        if (rows.getMetaData().getColumnType(1) != Types.BIGINT) {
            throw new IllegalStateException(
                    "the version column of " + table + " must be a bigint: versions are numbers of transactions");
        }
        long version = rows.next() ? rows.getLong(1) : NONE;
        if (rows.next()) {
            throw new IllegalStateException(table.keyColumns() + " is not a unique key of " + table);
        }
        return version;
    }
}
