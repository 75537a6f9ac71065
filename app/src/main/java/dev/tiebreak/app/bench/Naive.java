package dev.tiebreak.app.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The control: what most people write. Read the count, decide in Java, write the new count, all in one transaction at READ
 * COMMITTED. Two buyers that read the same count both sell the same unit.
 */
final class Naive implements Seller {
    private static final Answer TAKEN = new Answer(Said.TAKEN, 1);
    private static final Answer SOLD_OUT = new Answer(Said.SOLD_OUT, 1);

    private final DataSource source;
    private final String read;
    private final String write;

    Naive(DataSource source, Shelf shelf) {
        this.source = source;
        this.read = "SELECT qty FROM " + shelf.table().sql() + " WHERE item_id = ?";
        this.write = "UPDATE " + shelf.table().sql() + " SET qty = ? WHERE item_id = ?";
    }

    @Override
    public Answer sell(long item) throws SQLException {
        try (Connection c = source.getConnection()) {
            c.setAutoCommit(false);
            long qty = read(c, item);
            if (qty < 1) {
                c.rollback();
                return SOLD_OUT;
            }
            write(c, item, qty - 1);
            c.commit();
            return TAKEN;
        }
    }

    private long read(Connection c, long item) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(read)) {
            s.setLong(1, item);
            try (ResultSet row = s.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private void write(Connection c, long item, long qty) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(write)) {
            s.setLong(1, qty);
            s.setLong(2, item);
            s.executeUpdate();
        }
    }

    @Override
    public void close() {}
}
