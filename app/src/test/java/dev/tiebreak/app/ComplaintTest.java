package dev.tiebreak.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.embedded.Server;
import java.nio.file.NoSuchFileException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComplaintTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT * FROM stok | relation \"stok\" does not exist; create it first, or correct its name",
                "SELECT qty FROM pg_class | column \"qty\" does not exist; correct the column's name, or add the column",
                "SET ROLE pg_read_all_data; CREATE TABLE public.x () | permission denied for schema public; grant the role",
                "SELECT 1/0 | PostgreSQL refused (SQLSTATE 22012): division by zero",
            })
    void about_errorOfTheServer_saysWhatAndWhatToDo(String sql, String expected) throws SQLException {
        try (Connection c = Server.dataSource(Server.shared(18).newDatabase()).getConnection();
                Statement s = c.createStatement()) {
            SQLException error =
                    org.assertj.core.api.Assertions.catchThrowableOfType(SQLException.class, () -> s.execute(sql));

            Complaint complaint = Complaint.about(new IllegalStateException("outer", error));

            assertThat(complaint.getMessage()).startsWith(expected).doesNotContain("\n");
            assertThat(complaint.getCause()).hasRootCause(error);
        }
    }

    @Test
    void about_missingFile_namesIt() {
        assertThat(Complaint.about(new NoSuchFileException("a.json")))
                .hasMessage("there is no a.json; correct the path");
    }

    @Test
    void about_faultOfOurs_saysSo() {
        assertThat(Complaint.about(new NullPointerException("x")))
                .hasMessageStartingWith("this is a fault of tiebreak: java.lang.NullPointerException: x");
    }

    @Test
    void complaint_severalLines_becomesOne() {
        assertThat(new Complaint("a\n  b\r\nc")).hasMessage("a b c");
    }
}
