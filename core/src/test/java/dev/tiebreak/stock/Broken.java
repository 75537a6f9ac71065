package dev.tiebreak.stock;

import dev.tiebreak.Key;
import dev.tiebreak.Tx;
import dev.tiebreak.stock.Stock.Take;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/** What people write, and what was nearly written here: each must be caught by the contract. */
enum Broken {
    /** Read, decide, write. */
    NAIVE {
        @Override
        Take take(BrokenShop shop, Connection c, Key key, long n) throws SQLException {
            long left = shop.ask(c, "SELECT \"select\" FROM {t} WHERE org = ?", key);
            if (left < n) {
                return new Take.SoldOut(left);
            }
            shop.run(c, "UPDATE {t} SET \"select\" = " + (left - n) + " WHERE org = ?", key);
            return new Take.Taken(left - n);
        }
    },
    /** Compare-and-set, but nobody looks whether it set anything. */
    ROW_COUNT_IGNORED {
        @Override
        Take take(BrokenShop shop, Connection c, Key key, long n) throws SQLException {
            long left = shop.ask(c, "SELECT \"select\" FROM {t} WHERE org = ?", key);
            if (left < n) {
                return new Take.SoldOut(left);
            }
            shop.run(
                    c,
                    "UPDATE {t} SET \"select\" = \"select\" - " + n + " WHERE org = ? AND \"select\" = " + left,
                    key);
            return new Take.Taken(left - n);
        }
    },
    /** Decides on a row that is read without a lock, in the very statement that updates it. */
    UNLOCKED_READ {
        @Override
        Take take(BrokenShop shop, Connection c, Key key, long n) throws SQLException {
            int rows = shop.write(
                    c,
                    "WITH seen AS MATERIALIZED (SELECT \"select\" AS qty, pg_sleep(0.001) FROM {t} WHERE org = ?) UPDATE {t} t"
                            + " SET \"select\" = t.\"select\" - " + n + " FROM seen WHERE t.org = ? AND seen.qty >= "
                            + n,
                    key,
                    key);
            return rows == 1 ? new Take.Taken(0) : new Take.SoldOut(0);
        }
    },
    /** One at a time by an advisory lock, of which plain SQL knows nothing. */
    ADVISORY_ALONE {
        @Override
        Take take(BrokenShop shop, Connection c, Key key, long n) throws SQLException {
            shop.run(c, "SELECT length(pg_advisory_xact_lock(?)::text)", key);
            long left =
                    shop.ask(c, "SELECT \"select\" + 0 * length(pg_sleep(0.001)::text) FROM {t} WHERE org = ?", key);
            if (left < n) {
                return new Take.SoldOut(left);
            }
            shop.run(c, "UPDATE {t} SET \"select\" = \"select\" - " + n + " WHERE org = ?", key);
            return new Take.Taken(left - n);
        }
    },
    /** Believes what the snapshot shows after an update that waited and got nothing. */
    STALE_SOLD_OUT {
        @Override
        Take take(BrokenShop shop, Connection c, Key key, long n) throws SQLException {
            long left = shop.ask(
                    c,
                    "WITH taken AS (UPDATE {t} SET \"select\" = \"select\" - " + n + " WHERE org = ? AND \"select\" >= "
                            + n
                            + " RETURNING 1) SELECT CASE WHEN EXISTS (SELECT FROM taken) THEN -1 ELSE"
                            + " (SELECT \"select\" FROM {t} WHERE org = "
                            + key.values().getFirst() + ") END",
                    key);
            return left == -1 ? new Take.Taken(0) : new Take.SoldOut(left);
        }
    },
    /** A split counter that looks at one shard only. */
    ONE_SHARD {
        @Override
        int shards() {
            return 4;
        }

        @Override
        Take take(BrokenShop shop, Connection c, Key key, long n) throws SQLException {
            int shard = ThreadLocalRandom.current().nextInt(4);
            int rows = shop.write(
                    c,
                    "UPDATE {t} SET \"select\" = \"select\" - " + n + " WHERE org = ? AND \"select\" >= " + n
                            + " AND shard = " + shard,
                    key);
            return rows == 1
                    ? new Take.Taken(0)
                    : new Take.SoldOut(shop.ask(c, "SELECT sum(\"select\") FROM {t} WHERE org = ?", key));
        }
    };

    int shards() {
        return 1;
    }

    abstract Take take(BrokenShop shop, Connection c, Key key, long n) throws SQLException;

    Shop shop(DataSource pool) {
        return new BrokenShop(this, pool);
    }

    static final class BrokenShop extends Shop {
        private final Broken broken;

        BrokenShop(Broken broken, DataSource pool) {
            super(pool, broken.name(), broken.shards());
            this.broken = broken;
        }

        @Override
        Take sell(Key key, long n, boolean rollback) throws Exception {
            try (Connection c = pool.getConnection()) {
                c.setAutoCommit(false);
                Take outcome = broken.take(this, c, key, n);
                if (rollback) {
                    c.rollback();
                } else {
                    c.commit();
                }
                return outcome;
            }
        }

        @Override
        void giveBack(Key key, long n) throws SQLException {
            Tx.on(pool).run(c -> {
                if (write(c, "UPDATE {t} SET \"select\" = \"select\" + " + n + " WHERE org = ? AND shard = 0", key)
                        != 1) {
                    throw new AssertionError("nothing to give back to");
                }
            });
        }

        long ask(Connection c, String sql, Key key) throws SQLException {
            try (PreparedStatement s = c.prepareStatement(sql.replace("{t}", table.sql()))) {
                s.setObject(1, key.values().getFirst());
                try (ResultSet rows = s.executeQuery()) {
                    rows.next();
                    return rows.getLong(1);
                }
            }
        }

        void run(Connection c, String sql, Key key) throws SQLException {
            try (PreparedStatement s = c.prepareStatement(sql.replace("{t}", table.sql()))) {
                s.setObject(1, key.values().getFirst());
                s.execute();
            }
        }

        int write(Connection c, String sql, Key... keys) throws SQLException {
            try (PreparedStatement s = c.prepareStatement(sql.replace("{t}", table.sql()))) {
                for (int i = 0; i < keys.length; i++) {
                    s.setObject(i + 1, keys[i].values().getFirst());
                }
                return s.executeUpdate();
            }
        }
    }
}
