package dev.tiebreak.stock;

import dev.tiebreak.Binds;
import dev.tiebreak.Key;
import dev.tiebreak.internal.StableHash;
import dev.tiebreak.stock.Stock.GiveBack;
import dev.tiebreak.stock.Stock.Take;
import dev.tiebreak.stock.Stock.TakeAll;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;

/** One at a time through an advisory lock, then a conditional update; see {@link Stock#advisory}. */
final class AdvisoryGate extends Strategy {
    private final ConditionalUpdate update;
    private final String lock;
    private final String lockAll;

    AdvisoryGate(Count count) {
        super(count, Level.STATEMENT_SNAPSHOTS);
        this.update = new ConditionalUpdate(count, level);
        // Its own statement: the update after it sees what the lock's last holder committed.
        this.lock = count.sql("SELECT pg_advisory_xact_lock(?) WHERE {level}", level);
        this.lockAll = count.sql(
                "SELECT pg_advisory_xact_lock(hash) FROM unnest(CAST(? AS bigint[])) AS hash WHERE {level}", level);
    }

    @Override
    String name() {
        return "advisory";
    }

    @Override
    Take take(Connection connection, Key key, long n, Attempts attempts) throws SQLException {
        requireTransaction(connection);
        try (PreparedStatement s = connection.prepareStatement(lock + "; " + update.sql())) {
            Binds binds = new Binds(s);
            binds.add(number(key));
            update.bind(binds, key, n);
            s.execute();
            s.getMoreResults();
            try (ResultSet rows = s.getResultSet()) {
                Take outcome = update.read(rows, key, name());
                if (!ConditionalUpdate.doubtful(outcome, n)) {
                    return outcome;
                }
            }
        }
        attempts.again();
        return update.take(connection, key, n, attempts);
    }

    @Override
    TakeAll takeAll(Connection connection, Map<Key, Long> wanted, Attempts attempts) throws SQLException {
        requireTransaction(connection);
        lock(connection, wanted.keySet());
        return super.takeAll(connection, wanted, attempts);
    }

    @Override
    void lockAll(Connection connection, Map<Key, Long> units) throws SQLException {
        requireTransaction(connection);
        lock(connection, units.keySet());
        super.lockAll(connection, units);
    }

    @Override
    GiveBack giveBack(Connection connection, Key key, long n) throws SQLException {
        requireTransaction(connection);
        lock(connection, Set.of(key));
        return super.giveBack(connection, key, n);
    }

    static long number(Key key) {
        return StableHash.of("tiebreak.stock", key);
    }

    private void lock(Connection connection, Set<Key> keys) throws SQLException {
        long[] hashes = keys.stream()
                .mapToLong(AdvisoryGate::number)
                .sorted()
                .distinct()
                .toArray();
        try (PreparedStatement s = connection.prepareStatement(lockAll)) {
            s.setArray(1, connection.createArrayOf("int8", KeyTypes.box(hashes)));
            s.execute();
        }
    }

    private void requireTransaction(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("the advisory stock needs a transaction: in autocommit the lock on " + count
                    + " would be gone before the update; nothing was run");
        }
    }
}
