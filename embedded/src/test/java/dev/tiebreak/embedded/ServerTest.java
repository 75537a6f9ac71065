package dev.tiebreak.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerTest {
    @ParameterizedTest
    @ValueSource(ints = {15, 16, 17, 18})
    void start_eachVersion_answersAsThatVersion(int major) throws SQLException {
        try (Server server = Server.start(major);
                Connection c = Server.dataSource(server.newDatabase()).getConnection()) {
            assertThat(c.getMetaData().getDatabaseMajorVersion()).isEqualTo(major);
        }
    }

    @Test
    void start_unknownVersion_namesTheSupportedOnes() {
        assertThatThrownBy(() -> Server.start(9)).hasMessageContaining("15 to 18");
    }
}
