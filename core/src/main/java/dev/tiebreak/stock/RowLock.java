package dev.tiebreak.stock;

import dev.tiebreak.Binds;
import dev.tiebreak.Key;
import dev.tiebreak.stock.Stock.Take;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Lock the row, look, take: one statement; see {@link Stock#pessimistic}. */
final class RowLock extends Strategy {
    private final String sql;

    RowLock(Count count) {
        super(count, Level.ANY);
        // The lock returns the row's newest version; the update, whose snapshot may be older, follows the row to it.
        this.sql = count.sql("""
                WITH locked AS MATERIALIZED (
                    SELECT t.{qty} AS qty FROM {table} t WHERE {t.key} FOR NO KEY UPDATE),
                taken AS (
                    UPDATE {table} t SET {qty} = t.{qty} - ?{raise}
                    FROM locked WHERE {t.key} AND locked.qty >= ?
                    RETURNING t.{qty} AS qty)
                SELECT qty, TRUE FROM taken
                UNION ALL
                SELECT qty, FALSE FROM locked WHERE NOT EXISTS (SELECT FROM taken)""", level);
    }

    @Override
    String name() {
        return "pessimistic";
    }

    @Override
    Take take(Connection connection, Key key, long n, Attempts attempts) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(sql)) {
            Binds binds = new Binds(s);
            binds.add(key);
            binds.add(n);
            binds.add(key);
            binds.add(n);
            try (ResultSet rows = s.executeQuery()) {
                if (!rows.next()) {
                    return new Take.Absent(key);
                }
                boolean taken = rows.getBoolean(2);
                long left = onlyRow(rows, key);
                if (taken) {
                    return new Take.Taken(left);
                }
                if (left >= n) {
                    throw suppressed(key, left);
                }
                return new Take.SoldOut(left);
            }
        }
    }
}
