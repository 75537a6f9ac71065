package dev.tiebreak.app.cli;

import dev.tiebreak.embedded.Server;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The schemas that commands leave in a database, if they do. */
final class Schemas {
    private Schemas() {}

    static List<String> in(String url) throws SQLException {
        try (Connection c = Server.dataSource(url).getConnection();
                Statement s = c.createStatement();
                ResultSet row = s.executeQuery("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'tiebreak%'")) {
            List<String> names = new ArrayList<>();
            while (row.next()) {
                names.add(row.getString(1));
            }
            return names;
        }
    }
}
