package dev.tiebreak.junit;

import dev.tiebreak.embedded.Server;
import dev.tiebreak.prove.Proof;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Two race tests, of which one fails; run by {@link RaceTestTest} alone. */
final class ShopRaces {
    static final DataSource SHOP = shop();

    @RaceTest("tea sale")
    void naive(Proof race) {
        race.reset("TRUNCATE stock; INSERT INTO stock VALUES (1)")
                .session("ana", ShopRaces::readThenWrite)
                .session("ben", ShopRaces::readThenWrite);
    }

    @RaceTest
    void conditional(Proof race) {
        race.reset("TRUNCATE stock; INSERT INTO stock VALUES (1)")
                .session("ana", ShopRaces::takeOne)
                .session("ben", ShopRaces::takeOne)
                .someoneWaits();
    }

    private static boolean readThenWrite(DataSource ds) throws SQLException {
        try (Connection c = ds.getConnection();
                Statement s = c.createStatement()) {
            c.setAutoCommit(false);
            int left;
            try (ResultSet r = s.executeQuery("SELECT qty FROM stock")) {
                r.next();
                left = r.getInt(1);
            }
            if (left > 0) {
                s.executeUpdate("UPDATE stock SET qty = " + (left - 1));
            }
            c.commit();
            return left > 0;
        }
    }

    private static boolean takeOne(DataSource ds) throws SQLException {
        try (Connection c = ds.getConnection();
                Statement s = c.createStatement()) {
            c.setAutoCommit(false);
            boolean taken = s.executeUpdate("UPDATE stock SET qty = qty - 1 WHERE qty > 0") == 1;
            c.commit();
            return taken;
        }
    }

    private static DataSource shop() {
        DataSource source = Server.dataSource(Server.shared(Server.NEWEST).newDatabase());
        try (Connection c = source.getConnection();
                Statement s = c.createStatement()) {
            s.execute("CREATE TABLE stock (qty int)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return source;
    }
}
