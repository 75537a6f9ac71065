package dev.tiebreak.stock;

import dev.tiebreak.Key;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.row.FreeRows;
import dev.tiebreak.row.FreeRows.Claim;
import dev.tiebreak.stock.Stock.Take;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Sells rows: one a unit, one at a time. */
final class UnitShop extends Shop {
    private static final Table UNIT = Table.of("My \"Shop\"", "unit").keyedBy("id");
    private final FreeRows<Key> units;
    private final Tx tx;

    UnitShop(DataSource pool) {
        super(pool, "UNITS", 1);
        run("DROP TABLE IF EXISTS " + UNIT.sql());
        run("CREATE TABLE " + UNIT.sql() + " (id bigserial PRIMARY KEY, item bigint NOT NULL, taken boolean NOT NULL)");
        run("CREATE INDEX ON " + UNIT.sql() + " (item) WHERE NOT taken");
        units = FreeRows.of(UNIT).set("taken", true).backTo("taken", false).named("units");
        tx = Tx.on(pool);
    }

    @Override
    void stock(int item, long amount) {
        run("DELETE FROM " + UNIT.sql() + " WHERE item = " + item);
        run("INSERT INTO " + UNIT.sql() + " (item, taken) SELECT " + item + ", false FROM generate_series(1, " + amount
                + ")");
    }

    @Override
    Take sell(Key key, long n, boolean rollback) throws Exception {
        FreeRows<Key> ofItem =
                units.where("item = ? AND NOT taken", key.values().getFirst());
        try (Connection c = pool.getConnection()) {
            c.setAutoCommit(false);
            Claim<Key> claim = ofItem.claim(c, Math.toIntExact(n));
            if (rollback) {
                c.rollback();
            } else {
                c.commit();
            }
            return switch (claim) {
                case Claim.Claimed<Key> won -> new Take.Taken(0);
                case Claim.NoneFree<Key> no -> new Take.SoldOut(0);
                case Claim.Busy<Key> busy -> new Take.Busy(busy.attempts(), busy.waited());
            };
        }
    }

    @Override
    void giveBack(Key key, long n) throws SQLException {
        tx.run(c -> {
            try (PreparedStatement s = c.prepareStatement(
                    "SELECT id FROM " + UNIT.sql() + " WHERE item = ? AND taken LIMIT 1 FOR UPDATE SKIP LOCKED")) {
                s.setObject(1, key.values().getFirst());
                try (ResultSet rows = s.executeQuery()) {
                    if (rows.next()) {
                        if (!units.giveBack(c, UNIT.key("id", rows.getLong(1)))
                                .orRollback()
                                .row()
                                .table()
                                .equals(UNIT)) {
                            throw new AssertionError("another table");
                        }
                        return;
                    }
                }
            }
            try (PreparedStatement s =
                    c.prepareStatement("INSERT INTO " + UNIT.sql() + " (item, taken) VALUES (?, false)")) {
                s.setObject(1, key.values().getFirst());
                s.execute();
            }
        });
    }

    @Override
    boolean foreignTake(Key key) throws SQLException {
        try (Connection c = pool.getConnection();
                PreparedStatement s =
                        c.prepareStatement("UPDATE " + UNIT.sql() + " SET taken = true WHERE id = (SELECT id FROM "
                                + UNIT.sql() + " WHERE item = ? AND NOT taken LIMIT 1 FOR UPDATE SKIP LOCKED)")) {
            s.setObject(1, key.values().getFirst());
            return s.executeUpdate() == 1;
        }
    }

    @Override
    void foreignGive(Key key) throws SQLException {
        giveBack(key, 1);
    }

    @Override
    long left(Key key) throws SQLException {
        try (Connection c = pool.getConnection();
                PreparedStatement s =
                        c.prepareStatement("SELECT count(*) FROM " + UNIT.sql() + " WHERE item = ? AND NOT taken")) {
            s.setObject(1, key.values().getFirst());
            try (ResultSet rows = s.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }
}
