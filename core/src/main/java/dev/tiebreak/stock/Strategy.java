package dev.tiebreak.stock;

import dev.tiebreak.Binds;
import dev.tiebreak.Key;
import dev.tiebreak.stock.Stock.GiveBack;
import dev.tiebreak.stock.Stock.Rebalance;
import dev.tiebreak.stock.Stock.Take;
import dev.tiebreak.stock.Stock.TakeAll;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

/** One way to settle a race for a count. Immutable but for what {@link Cart} learns of the table; thread-safe. */
abstract class Strategy {
    final Count count;
    final Level level;
    private final Cart cart;
    private final String giveBack;

    Strategy(Count count, Level level) {
        this(count, level, new Cart(count, level, false));
    }

    Strategy(Count count, Level level, Cart cart) {
        this.count = count;
        this.level = level;
        this.cart = cart;
        this.giveBack = count.sql("""
                WITH given AS (
                    UPDATE {table} t SET {qty} = t.{qty} + ?{raise} WHERE {t.key} AND {level} RETURNING t.{qty} AS qty)
                SELECT qty, NULL FROM given""", level) + level.unless("0");
    }

    /** As events and reports call it. */
    abstract String name();

    abstract Take take(Connection connection, Key key, long n, Attempts attempts) throws SQLException;

    TakeAll takeAll(Connection connection, Map<Key, Long> wanted, Attempts attempts) throws SQLException {
        return cart.take(connection, wanted, name(), null);
    }

    GiveBack giveBack(Connection connection, Key key, long n) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(giveBack)) {
            Binds binds = new Binds(s);
            binds.add(n);
            binds.add(key);
            try (ResultSet rows = s.executeQuery()) {
                if (!rows.next()) {
                    return new GiveBack.Absent(key);
                }
                if (rows.getString(2) != null) {
                    throw level.refusal(name(), rows.getString(2));
                }
                return new GiveBack.GivenBack(onlyRow(rows, key));
            }
        }
    }

    /** Locks what giving back to these keys will lock, in the order in which carts do. */
    void lockAll(Connection connection, Map<Key, Long> units) throws SQLException {
        cart.lock(connection, units);
    }

    Rebalance rebalance(Connection connection, Key key) throws SQLException {
        throw new UnsupportedOperationException(
                "only a split stock has shards to rebalance; " + count + " is " + name());
    }

    final Cart cart() {
        return cart;
    }

    /** The first column of the current row, which must be the last one. */
    static long onlyRow(ResultSet rows, Key key) throws SQLException {
        long value = rows.getLong(1);
        if (rows.next()) {
            throw notUnique(key);
        }
        return value;
    }

    static IllegalStateException notUnique(Key key) {
        return new IllegalStateException(key + " names more than one row: a count needs a unique key");
    }

    /** Nothing but a trigger, a rule or row security keeps an update from a row that is locked and has enough. */
    static IllegalStateException suppressed(Key key, long left) {
        return new IllegalStateException(key + " has " + left + " left and is locked, yet the UPDATE changed no row: a"
                + " trigger, rule or row security policy on the table suppresses it");
    }
}
