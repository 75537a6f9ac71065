package dev.tiebreak.stock;

import dev.tiebreak.Binds;
import dev.tiebreak.Key;
import dev.tiebreak.stock.Stock.Take;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Take if there is enough, decided by the update itself; see {@link Stock#of} and {@link Stock#serializable}. */
final class ConditionalUpdate extends Strategy {
    private final String sql;
    private final RowLock underLock;

    ConditionalUpdate(Count count, Level level) {
        super(count, level);
        // The loser's row is read in the same snapshot; if the update waited, that is older than what the update saw.
        this.sql = count.sql("""
                WITH taken AS (
                    UPDATE {table} t SET {qty} = t.{qty} - ?{raise}
                    WHERE {t.key} AND t.{qty} >= ? AND {level}
                    RETURNING t.{qty} AS qty)
                SELECT qty, TRUE, NULL FROM taken
                UNION ALL
                SELECT t.{qty}, FALSE, NULL FROM {table} t
                WHERE {t.key} AND {level} AND NOT EXISTS (SELECT FROM taken)""", level) + level.unless("0, FALSE");
        this.underLock = new RowLock(count);
    }

    @Override
    String name() {
        return level == Level.SERIALIZABLE ? "serializable" : "conditional";
    }

    @Override
    Take take(Connection connection, Key key, long n, Attempts attempts) throws SQLException {
        for (int look = 1; look <= 2; look++) {
            try (PreparedStatement s = connection.prepareStatement(sql)) {
                bind(new Binds(s), key, n);
                try (ResultSet rows = s.executeQuery()) {
                    Take outcome = read(rows, key, name());
                    if (!doubtful(outcome, n)) {
                        return outcome;
                    }
                }
            }
            attempts.again();
        }
        return underLock.take(connection, key, n, attempts);
    }

    /** A "sold out" of a row that has enough is a look at the past. */
    static boolean doubtful(Take outcome, long n) {
        return outcome instanceof Take.SoldOut no && no.left() >= n;
    }

    String sql() {
        return sql;
    }

    void bind(Binds binds, Key key, long n) throws SQLException {
        binds.add(n);
        binds.add(key);
        binds.add(n);
        binds.add(key);
    }

    Take read(ResultSet rows, Key key, String strategy) throws SQLException {
        if (!rows.next()) {
            return new Take.Absent(key);
        }
        String wrongLevel = rows.getString(3);
        if (wrongLevel != null) {
            throw level.refusal(strategy, wrongLevel);
        }
        boolean taken = rows.getBoolean(2);
        long left = onlyRow(rows, key);
        return taken ? new Take.Taken(left) : new Take.SoldOut(left);
    }
}
