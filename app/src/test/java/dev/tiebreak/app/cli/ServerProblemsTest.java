package dev.tiebreak.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.embedded.Server;
import java.io.IOException;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerProblemsTest {
    private final String url = Server.shared(18).newDatabase();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "nonsense | not a PostgreSQL URL: \"nonsense\"; expected jdbc:postgresql://HOST:PORT/DATABASE",
                "jdbc:mysql://localhost/x | not a PostgreSQL URL",
                "jdbc:postgresql://localhost:port/x | cannot read the URL",
                "jdbc:postgresql://no-such-host.invalid/x | no-such-host.invalid is not known",
            })
    void url_wrong_isSaidInOneLine(String wrong, String expected) {
        assertRefused(Run.on(wrong, "sale"), expected);
    }

    @Test
    void url_wrongWithPassword_isNotPrintedWithIt() {
        assertThat(Run.on("jdbc:mysql://localhost/x?password=secret", "sale").complaint())
                .doesNotContain("secret");
        assertThat(Run.on("pg://ravi:secret@localhost/x", "sale").complaint()).doesNotContain("secret");
    }

    @Test
    void url_nothingListens_saysThatNoServerAnswers() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        assertRefused(
                Run.on("jdbc:postgresql://localhost:" + port + "/x", "sale"),
                "no server answers: Connection to localhost:" + port + " refused.");
    }

    @Test
    void url_fromEnvironment_isUsed() {
        assertRefused(Run.with(Map.of("TIEBREAK_URL", "nonsense"), "sale"), "not a PostgreSQL URL");
        assertThat(Run.with(Map.of("TIEBREAK_URL", url), "sale", "--strategies", "conditional")
                        .exitCode())
                .isZero();
    }

    @Test
    void url_asLibpqWritesIt_isUnderstood() {
        String libpq =
                url.replace("jdbc:", "").replaceFirst("//", "//postgres@").replaceFirst("\\?.*", "");
        assertThat(Run.on(libpq, "sale", "--strategies", "conditional").exitCode())
                .isZero();
    }

    @Test
    void url_missingDatabase_isNamed() {
        assertRefused(
                Run.on(url.replaceFirst("tiebreak_\\d+", "nowhere"), "sale"), "database \"nowhere\" does not exist");
    }

    @Test
    void user_fromEnvironmentUnknown_isNamed() {
        String withoutUser = url.replaceFirst("\\?.*", "");
        Run run = Run.with(Map.of("TIEBREAK_URL", withoutUser, "PGUSER", "nobody_knows"), "sale");

        assertRefused(run, "the server refused the login: role \"nobody_knows\" does not exist");
    }

    @Test
    void rights_mayNotCreateASchema_saysWhichGrantIsMissing() throws SQLException {
        role("may_nothing");
        assertRefused(
                as("may_nothing"),
                "the role may_nothing may not create a schema in the database",
                "GRANT CREATE ON DATABASE");
    }

    @Test
    void rights_ordinaryRole_isEnoughAndLeavesNothing() throws SQLException {
        role("may_create");
        execute("GRANT CREATE ON DATABASE " + database() + " TO may_create");

        Run run = as("may_create");

        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(Schemas.in(url)).isEmpty();
    }

    @Test
    void connections_roleHasNone_isSaidBeforeAnythingRuns() throws SQLException {
        role("one_connection");
        execute("GRANT CREATE ON DATABASE " + database() + " TO one_connection");
        execute("ALTER ROLE one_connection CONNECTION LIMIT 2");

        assertRefused(as("one_connection"), "no connection left for this role");
        execute("ALTER ROLE one_connection CONNECTION LIMIT 20");
        assertRefused(
                Run.on(url.replaceFirst("\\?.*", "?user=one_connection"), "bench", "--pgbench", "none"),
                "34 connections are needed and the server has ",
                "fewer --clients");
    }

    @Test
    void server_readOnly_saysToGoToThePrimary() throws SQLException {
        role("reader");
        execute("GRANT CREATE ON DATABASE " + database() + " TO reader");
        execute("ALTER ROLE reader SET default_transaction_read_only = on");

        assertRefused(as("reader"), "the server takes no writes", "primary");
    }

    private Run as(String role) {
        return Run.on(url.replaceFirst("\\?.*", "?user=" + role), "sale", "--strategies", "conditional,split");
    }

    private static void assertRefused(Run run, String... expected) {
        assertThat(run.complaint()).startsWith("tiebreak ").contains(expected);
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out()).isEmpty();
    }

    private void role(String name) throws SQLException {
        execute("DROP ROLE IF EXISTS " + name);
        execute("CREATE ROLE " + name + " LOGIN");
    }

    private String database() {
        return url.replaceFirst(".*/([a-z_0-9]+)\\?.*", "$1");
    }

    private void execute(String sql) throws SQLException {
        try (Connection c = Server.dataSource(url).getConnection();
                Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }
}
