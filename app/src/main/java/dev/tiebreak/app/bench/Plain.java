package dev.tiebreak.app.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The conditional update by hand: one statement, one commit, nothing looked at besides. */
final class Plain implements Seller {
    private static final Answer TAKEN = new Answer(Said.TAKEN, 1);
    private static final Answer SOLD_OUT = new Answer(Said.SOLD_OUT, 1);

    private final DataSource source;
    private final String take;

    Plain(DataSource source, Shelf shelf) {
        this.source = source;
        this.take = "UPDATE " + shelf.table().sql() + " SET qty = qty - 1 WHERE item_id = ? AND qty >= 1";
    }

    @Override
    public Answer sell(long item) throws SQLException {
        try (Connection c = source.getConnection()) {
            c.setAutoCommit(false);
            int taken;
            try (PreparedStatement s = c.prepareStatement(take)) {
                s.setLong(1, item);
                taken = s.executeUpdate();
            }
            c.commit();
            return taken == 1 ? TAKEN : SOLD_OUT;
        }
    }

    @Override
    public void close() {}
}
