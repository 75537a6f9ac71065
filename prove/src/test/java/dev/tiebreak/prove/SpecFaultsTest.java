package dev.tiebreak.prove;

import static dev.tiebreak.prove.SpecRaces.NAIVE;
import static dev.tiebreak.prove.SpecRaces.STOCK;
import static dev.tiebreak.prove.SpecRaces.buyers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.embedded.Server;
import dev.tiebreak.prove.spec.Spec;
import dev.tiebreak.prove.spec.SpecException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Bad input, and what a proof leaves behind or meets in the database. */
class SpecFaultsTest {
    private static SpecRaces races = new SpecRaces("");

    @BeforeAll
    static void database() {
        races = new SpecRaces(Server.shared(Server.NEWEST).newDatabase());
    }

    private static void assertFault(String text, String... parts) throws SQLException {
        assertThatThrownBy(() ->
                        races.proof(text).stepTimeout(Duration.ofSeconds(2)).explore())
                .isInstanceOf(SpecException.class)
                .message()
                .contains(parts)
                .hasLineCount(1);
        races.assertNothingLeft();
    }

    @Test
    void explore_sqlErrorInSetup_namesTheLine() throws SQLException {
        assertFault("""
                setup { CREATE TABLE stock (qty int);
                        INSERT INTO stok VALUES (1); }
                session a
                step a1 { SELECT 1; }
                """, "race.spec:2: setup: relation \"stok\" does not exist (42P01)");
    }

    @Test
    void explore_sessionThatNeverReturns_isReportedAsTimeout() throws SQLException {
        assertFault(STOCK + """
                        session a
                        step a1 { SELECT pg_sleep(60); }
                        session b
                        step b1 { SELECT 1; }
                        """, "race.spec:5: step a1 of session a did not return within 2 s (statement timeout)");
    }

    @Test
    void explore_setupThatWaitsForAnotherSession_isReportedAsTimeout() {
        assertThatThrownBy(() ->
                        races.proof("""
                                session ana
                                setup { BEGIN; SELECT pg_advisory_xact_lock(7); }
                                step a { COMMIT; }
                                session ben
                                setup { BEGIN; SELECT pg_advisory_xact_lock(7); }
                                step b { COMMIT; }
                                """).stepTimeout(Duration.ofSeconds(1)).explore())
                .isInstanceOf(SpecException.class)
                .hasMessageStartingWith("race.spec:5: setup of session ben: it did not return within 1 s")
                .hasMessageContaining("must not wait for another session");
    }

    @Test
    void explore_stepThatKillsItsConnection_isReported() throws SQLException {
        assertFault(STOCK + """
                        session a
                        step a1 { SELECT pg_terminate_backend(pg_backend_pid()); }
                        session b
                        step b1 { SELECT 1; }
                        """, "race.spec:5: step a1 lost its connection");
    }

    @Test
    void explore_invariantThatIsNoQuery_namesTheLine() throws SQLException {
        assertFault(STOCK + """
                        #@ invariant "x" { SELECT nix FROM stock }
                        session a
                        step a1 { SELECT 1; }
                        """, "race.spec:4: invariant \"x\": ", "42703");
    }

    @Test
    void explore_noServer_saysWhere() {
        assertThatThrownBy(() -> SpecProof.of(Spec.parse("race.spec", NAIVE), "jdbc:postgresql://localhost:1/x")
                        .explore())
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("cannot connect to jdbc:postgresql://localhost:1/x");
    }

    @Test
    void explore_ordinaryRole_worksInItsOwnSchemaAndNeedsTheRightToMakeOne() throws SQLException {
        List<String> words = new ArrayList<>();
        try (Connection c = DriverManager.getConnection(races.url());
                Statement s = c.createStatement()) {
            s.execute("CREATE ROLE plain LOGIN PASSWORD 'plain'; REVOKE ALL ON SCHEMA public FROM public");
            String as = races.url().replaceAll("user=[^&]*", "user=plain&password=plain");
            assertThatThrownBy(() ->
                            SpecProof.of(Spec.parse("race.spec", NAIVE), as).explore())
                    .isInstanceOf(SetupException.class)
                    .hasMessageContaining("GRANT CREATE ON DATABASE");
            s.execute("GRANT CREATE ON DATABASE " + c.getCatalog() + " TO plain");
            words.add(SpecProof.of(Spec.parse("race.spec", NAIVE), as).explore().word());
            words.add(SpecProof.of(Spec.parse("race.spec", STOCK + buyers("BEGIN", "FOR UPDATE")), as)
                    .explore()
                    .word());
        }
        assertThat(words).containsExactly("VIOLATED", "PROVED");
        races.assertNothingLeft();
    }

    @Test
    void explore_otherProofsInTheSameDatabase_areNotNoticed() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Verdict>> proofs = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                proofs.add(threads.submit(() -> races.explore(NAIVE)));
            }
            for (Future<Verdict> proof : proofs) {
                Verdict verdict = proof.get();
                assertThat(verdict.word()).as(verdict.text()).isEqualTo("VIOLATED");
                assertThat(verdict.coverage().interleavings()).isEqualTo(10);
                assertThat(verdict.coverage().violations()).isEqualTo(8);
            }
        }
        races.assertNothingLeft();
    }

    @Test
    void explore_leftoversOfAKilledProof_areDropped() throws SQLException {
        try (Connection c = DriverManager.getConnection(races.url());
                Statement s = c.createStatement()) {
            s.execute("CREATE SCHEMA tiebreak_run_1_1; CREATE TABLE tiebreak_run_1_1.x ()");
        }
        assertThat(races.explore(NAIVE).word()).isEqualTo("VIOLATED");
        races.assertNothingLeft();
    }
}
