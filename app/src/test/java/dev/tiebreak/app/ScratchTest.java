package dev.tiebreak.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.embedded.Server;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScratchTest {
    private final String url = Server.shared(18).newDatabase();
    private final Database database = Database.at(url, Map.of());

    @Test
    void in_schemaOfAKilledRun_isDroppedAndThoseOfOthersStay() throws SQLException {
        execute("CREATE SCHEMA tiebreak_run_0badcafe; CREATE TABLE tiebreak_run_0badcafe.stock ();"
                + "CREATE SCHEMA tiebreak_run_mine; CREATE SCHEMA tiebreak;"
                + "CREATE ROLE scratch_other; CREATE SCHEMA tiebreak_run_00000000 AUTHORIZATION scratch_other");
        try (Scratch running = Scratch.in(database);
                Scratch second = Scratch.in(database)) {
            assertThat(exists(running.schema())).isTrue();
            assertThat(exists(second.schema())).isTrue();
            assertThat(exists("tiebreak_run_0badcafe")).isFalse();
            assertThat(exists("tiebreak_run_mine")).isTrue();
            assertThat(exists("tiebreak_run_00000000")).isTrue();
            assertThat(exists("tiebreak")).isTrue();
        }
        execute("DROP SCHEMA tiebreak_run_00000000; DROP ROLE scratch_other");
    }

    @Test
    void close_afterAFailedStatement_stillDropsTheSchema() throws SQLException {
        String schema;
        try (Scratch scratch = Scratch.in(database)) {
            schema = scratch.schema();
            scratch.run("CREATE TABLE " + schema + ".stock (qty int)");
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> scratch.run("SELECT nonsense"))
                    .isInstanceOf(SQLException.class);
            assertThat(scratch.number("SELECT count(*) FROM " + schema + ".stock"))
                    .isZero();
        }
        assertThat(exists(schema)).isFalse();
    }

    private boolean exists(String schema) throws SQLException {
        try (Connection c = Server.dataSource(url).getConnection();
                Statement s = c.createStatement();
                ResultSet row = s.executeQuery("SELECT to_regnamespace('" + schema + "') IS NOT NULL")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection c = Server.dataSource(url).getConnection();
                Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }
}
