package dev.tiebreak.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.embedded.Server;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class SchemaCommandTest {
    private final String url = Server.shared(18).newDatabase();

    private void run(String sql) throws SQLException {
        try (Connection c = Server.dataSource(url).getConnection();
                Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    @Test
    void install_thenAgain_saysWhatItDid() {
        assertThat(Run.on(url, "schema", "validate").exitCode()).isEqualTo(1);

        Run first = Run.on(url, "schema", "install");
        assertThat(first.exitCode()).isZero();
        assertThat(first.out()).startsWith("INSTALLED  steps taken: leases, reservations, inbox, schema tiebreak");

        assertThat(Run.on(url, "schema", "install").out()).startsWith("INSTALLED  everything was there already");
        Run valid = Run.on(url, "schema", "validate");
        assertThat(valid.exitCode()).isZero();
        assertThat(valid.out()).startsWith("VALID  schema tiebreak");
    }

    @Test
    void print_runByHand_isValid() throws SQLException {
        Run print = Run.tiebreak("schema", "print", "--schema", "races");
        assertThat(print.exitCode()).isZero();
        run(print.out());
        assertThat(Run.on(url, "schema", "validate", "--schema", "races").exitCode())
                .isZero();
    }

    @Test
    void validate_columnChanged_namesItExit1() throws SQLException {
        assertThat(Run.on(url, "schema", "install").exitCode()).isZero();
        run("ALTER TABLE tiebreak.lease ALTER token TYPE integer");
        Run invalid = Run.on(url, "schema", "validate");
        assertThat(invalid.exitCode()).isEqualTo(1);
        assertThat(invalid.out())
                .startsWith("INVALID  schema tiebreak")
                .contains("column tiebreak.lease.token is integer and should be bigint");
    }

    @Test
    void help_showsExamplesAndExitCodes() {
        assertThat(Run.tiebreak("schema", "--help").out())
                .contains("Examples:", "  tiebreak schema print", "Exit codes: 0", "--url", "--after", "--verbose");
    }

    @Test
    void schema_senselessArguments_oneLineExit3() {
        assertThat(Run.on(url, "schema", "drop").complaint()).contains("print, install or validate");
        assertThat(Run.tiebreak("schema", "install").complaint()).contains("needs the --url of your server");
        assertThat(Run.tiebreak("schema").complaint()).contains("print|install|validate");
        assertThat(Run.tiebreak("schema", "print", "--after", "99").complaint()).contains("there is no step 99");
        assertThat(Run.on(url, "schema", "install", "--schema", "").exitCode()).isEqualTo(3);
    }
}
