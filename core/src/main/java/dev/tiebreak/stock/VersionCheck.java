package dev.tiebreak.stock;

import dev.tiebreak.Binds;
import dev.tiebreak.Key;
import dev.tiebreak.stock.Stock.Take;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Read, then take if the version is still the one seen; see {@link Stock#optimistic}. */
final class VersionCheck extends Strategy {
    private final int limit;
    private final String read;
    private final String compareAndSet;

    VersionCheck(Count count, int limit) {
        super(count, Level.ANY);
        this.limit = limit;
        this.read = count.sql("SELECT t.{qty}, t.{version} FROM {table} t WHERE {t.key}", level);
        // The quantity is checked too: a foreign writer need not know about the version.
        this.compareAndSet = count.sql("""
                UPDATE {table} t SET {qty} = t.{qty} - ?{raise}
                WHERE {t.key} AND t.{version} = ? AND t.{qty} >= ? RETURNING t.{qty}""", level);
    }

    @Override
    String name() {
        return "optimistic";
    }

    @Override
    Take take(Connection connection, Key key, long n, Attempts attempts) throws SQLException {
        while (true) {
            long version;
            try (PreparedStatement s = connection.prepareStatement(read)) {
                new Binds(s).add(key);
                try (ResultSet rows = s.executeQuery()) {
                    if (!rows.next()) {
                        return new Take.Absent(key);
                    }
                    version = rows.getLong(2);
                    if (rows.wasNull()) {
                        throw new IllegalStateException(
                                key + " has no version: column " + count.version() + " is null");
                    }
                    long left = onlyRow(rows, key);
                    if (left < n) {
                        return new Take.SoldOut(left);
                    }
                }
            }
            try (PreparedStatement s = connection.prepareStatement(compareAndSet)) {
                Binds binds = new Binds(s);
                binds.add(n);
                binds.add(key);
                binds.add(version);
                binds.add(n);
                try (ResultSet rows = s.executeQuery()) {
                    if (rows.next()) {
                        return new Take.Taken(onlyRow(rows, key));
                    }
                }
            }
            if (attempts.made() >= limit) {
                return new Take.Busy(attempts.made(), attempts.waited());
            }
            attempts.again();
        }
    }
}
