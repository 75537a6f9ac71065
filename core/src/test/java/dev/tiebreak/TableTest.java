package dev.tiebreak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "stock",
                "Stock",
                "order",
                "select",
                "with space",
                "with\"quote",
                "\"",
                "semi;colon",
                "dot.ted",
                "näme",
                "表",
                "a'b",
                "$1",
                "?",
                "--",
                "/*"
            })
    void quoted_anyName_namesExactlyThatOnTheServer(String name) throws SQLException {
        Db db = new Db(18, Db.Reach.PLAIN);
        try (Connection c = db.source.getConnection();
                Statement s = c.createStatement()) {
            String schema = Table.quoted("schema " + name);
            Table table = Table.of("schema " + name, name).keyedBy(name);
            s.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
            s.execute("CREATE SCHEMA " + schema);
            s.execute("CREATE TABLE " + table.sql() + " (" + Table.quoted(name) + " int)");

            try (var found = c.prepareStatement("SELECT count(*) FROM information_schema.columns"
                    + " WHERE table_schema = ? AND table_name = ? AND column_name = ?")) {
                found.setString(1, "schema " + name);
                found.setString(2, name);
                found.setString(3, name);
                try (var rows = found.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getInt(1)).isEqualTo(1);
                }
            }
            s.execute("DROP SCHEMA " + schema + " CASCADE");
        }
    }

    @Test
    void of_whatPostgresCannotStore_isRefused() {
        assertThatThrownBy(() -> Table.of("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Table.of("a\0b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a\\0b");
        assertThatThrownBy(() -> Table.of("t").keyedBy("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void keyedBy_noneOrTwice_isRefused() {
        assertThatThrownBy(() -> Table.of("shop", "stock").keyedBy())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("shop.stock");
        assertThatThrownBy(() -> Table.of("t").keyedBy("a", "b", "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("twice");
    }

    @Test
    void equals_isByNameAndKey() {
        assertThat(Table.of("a", "b").keyedBy("c"))
                .isEqualTo(Table.of("a", "b").keyedBy("c"))
                .hasSameHashCodeAs(Table.of("a", "b").keyedBy("c"))
                .isNotEqualTo(Table.of("a", "b").keyedBy("d"))
                .isNotEqualTo(Table.of("a", "b"))
                .isNotEqualTo(Table.of("a.b").keyedBy("c"));
        assertThat(Table.of("a", "b")).hasToString("a.b");
    }
}
