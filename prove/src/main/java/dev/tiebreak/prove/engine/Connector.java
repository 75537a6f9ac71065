package dev.tiebreak.prove.engine;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import javax.sql.DataSource;

/** Opens connections for a race. */
public interface Connector {
    /**
     * Opens one.
     *
     * @param application what the server shall call it
     */
    Connection open(String application) throws SQLException;

    /** Connections to a JDBC URL. They use the simple protocol, as psql does. */
    static Connector url(String url) {
        return application -> {
            Properties properties = new Properties();
            properties.setProperty("ApplicationName", application);
            properties.setProperty("preferQueryMode", "simple");
            properties.setProperty("binaryTransfer", "false");
            try {
                return DriverManager.getConnection(url, properties);
            } catch (SQLException e) {
                throw unreachable(url.replaceAll("[?].*", ""), e);
            }
        };
    }

    /** Connections of a data source, as they come. */
    static Connector of(DataSource source) {
        return application -> {
            try {
                Connection connection = source.getConnection();
                connection.setAutoCommit(true);
                return connection;
            } catch (SQLException e) {
                throw unreachable("the data source", e);
            }
        };
    }

    private static RaceException unreachable(String what, SQLException e) {
        return new RaceException("", "", "cannot connect to " + what + ": " + e.getMessage(), e);
    }
}
