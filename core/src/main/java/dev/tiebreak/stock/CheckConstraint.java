package dev.tiebreak.stock;

import dev.tiebreak.Binds;
import dev.tiebreak.Key;
import dev.tiebreak.internal.Query;
import dev.tiebreak.internal.Savepoint;
import dev.tiebreak.stock.Stock.Take;
import dev.tiebreak.stock.Stock.TakeAll;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Take, and let the table's constraint say no; see {@link Stock#constraint}. */
final class CheckConstraint extends Strategy {
    private final String constraint;
    private final Savepoint savepoint = new Savepoint("tiebreak_take");
    private final Savepoint cartSavepoint = new Savepoint("tiebreak_cart");
    private final String update;
    private final String look;
    private final String lock;

    CheckConstraint(Count count, String constraint) {
        super(count, Level.ANY, new Cart(count, Level.ANY, true));
        if (constraint.isEmpty()) {
            throw new IllegalArgumentException("the constraint that means sold out for " + count + " needs its name");
        }
        this.constraint = constraint;
        this.update =
                count.sql("UPDATE {table} t SET {qty} = t.{qty} - ?{raise} WHERE {t.key} RETURNING t.{qty}", level);
        this.look = count.sql("SELECT t.{qty} FROM {table} t WHERE {t.key}", level);
        this.lock = look + " FOR NO KEY UPDATE";
    }

    @Override
    String name() {
        return "constraint";
    }

    @Override
    Take take(Connection connection, Key key, long n, Attempts attempts) throws SQLException {
        Take outcome = tryOnce(connection, key, n);
        if (ConditionalUpdate.doubtful(outcome, n)) {
            attempts.again();
            outcome = tryOnce(connection, key, n);
        }
        if (ConditionalUpdate.doubtful(outcome, n)) {
            attempts.again();
            // Under the lock the constraint has the last word: its rule may be stricter than the count.
            if (left(connection, key, lock) instanceof Take.Absent gone) {
                return gone;
            }
            outcome = tryOnce(connection, key, n);
        }
        return outcome;
    }

    /** All updates at once, and the constraint's no undoes them; then one by one, to learn whose no it was. */
    @Override
    TakeAll takeAll(Connection connection, Map<Key, Long> wanted, Attempts attempts) throws SQLException {
        try {
            return cart().take(connection, wanted, name(), cartSavepoint);
        } catch (SQLException e) {
            if (!meansSoldOut(e)) {
                throw e;
            }
        }
        cartSavepoint.undo(connection);
        attempts.again();
        return oneByOne(connection, wanted, attempts);
    }

    private TakeAll oneByOne(Connection connection, Map<Key, Long> wanted, Attempts attempts) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the constraint " + constraint + " refused the cart; which key it was can only"
                            + " be found inside a transaction: nothing was taken");
        }
        cart().lock(connection, wanted);
        cartSavepoint.set(connection);
        Map<Key, Long> left = new LinkedHashMap<>();
        for (Map.Entry<Key, Long> item : wanted.entrySet()) {
            Take outcome = take(connection, item.getKey(), item.getValue(), attempts);
            if (outcome instanceof Take.Taken taken) {
                left.put(item.getKey(), taken.left());
            } else {
                cartSavepoint.rollback(connection);
                return outcome instanceof Take.SoldOut no
                        ? new TakeAll.SoldOut(Map.of(item.getKey(), no.left()))
                        : new TakeAll.Absent(item.getKey());
            }
        }
        cartSavepoint.release(connection);
        return new TakeAll.TakenAll(left);
    }

    private Take tryOnce(Connection connection, Key key, long n) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(savepoint.around(connection, update))) {
            Binds binds = new Binds(s);
            binds.add(n);
            binds.add(key);
            s.execute();
            try (ResultSet rows = Query.result(s, 0)) {
                return rows.next() ? new Take.Taken(onlyRow(rows, key)) : new Take.Absent(key);
            }
        } catch (SQLException e) {
            if (!meansSoldOut(e)) {
                throw e;
            }
        }
        savepoint.undo(connection);
        return left(connection, key, look);
    }

    private static Take left(Connection connection, Key key, String sql) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(sql)) {
            new Binds(s).add(key);
            try (ResultSet rows = s.executeQuery()) {
                return rows.next() ? new Take.SoldOut(onlyRow(rows, key)) : new Take.Absent(key);
            }
        }
    }

    boolean meansSoldOut(SQLException e) {
        if (!(e instanceof PSQLException failure)) {
            return false;
        }
        ServerErrorMessage message = failure.getServerErrorMessage();
        return message != null && "23514".equals(e.getSQLState()) && constraint.equals(message.getConstraint());
    }
}
