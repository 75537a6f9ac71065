package dev.tiebreak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.embedded.Server;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class TxTest {
    private final DataSource source = Server.dataSource(Server.shared(18).newDatabase());
    private final Tx tx = Tx.on(source);

    private static void sql(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    @Test
    void call_bodyReturns_commits() throws SQLException {
        tx.run(c -> sql(c, "CREATE TABLE t (id int PRIMARY KEY)"));
        tx.run(c -> sql(c, "INSERT INTO t VALUES (1)"));
        try (Connection c = source.getConnection()) {
            sql(c, "INSERT INTO t VALUES (2)");
        }
        assertThatThrownBy(() -> tx.run(c -> {
                    sql(c, "INSERT INTO t VALUES (3)");
                    try {
                        sql(c, "INSERT INTO t VALUES (1)");
                    } catch (SQLException swallowed) {
                        // as careless code does
                    }
                }))
                .isInstanceOf(TxException.NotCommitted.class)
                .cause()
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23505"));
        int n = tx.serializable().retrying(Retry.adaptive()).call(c -> {
            try (var s = c.createStatement();
                    var r = s.executeQuery("SELECT count(*) FROM t")) {
                r.next();
                return r.getInt(1);
            }
        });
        assertThat(n).isEqualTo(2);
    }
}
