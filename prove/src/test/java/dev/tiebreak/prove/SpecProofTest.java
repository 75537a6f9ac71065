package dev.tiebreak.prove;

import static dev.tiebreak.prove.SpecRaces.NAIVE;
import static dev.tiebreak.prove.SpecRaces.STOCK;
import static dev.tiebreak.prove.SpecRaces.buyers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.embedded.Server;
import dev.tiebreak.prove.picture.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpecProofTest {
    private static SpecRaces races = new SpecRaces("");

    @BeforeAll
    static void database() {
        races = new SpecRaces(Server.shared(Server.NEWEST).newDatabase());
    }

    // ---- Verdicts.

    @Test
    void explore_naiveSale_isViolatedWithOneSwitchAndTellsWhy() throws SQLException {
        Verdict.Violated verdict = races.violated(NAIVE);

        assertThat(verdict.broken()).isEqualTo("sold = taken");
        assertThat(verdict.preemptions()).isEqualTo(1);
        assertThat(verdict.coverage().complete()).isTrue();
        assertThat(verdict.coverage().violations()).isEqualTo(8);
        assertThat(verdict.coverage().interleavings()).isEqualTo(10);
        assertThat(verdict.sentence()).contains("ana read qty as it was before ben changed it", "no order fits");
        assertThat(verdict.trace().events()).anyMatch(e -> e.kind() == Event.Kind.WAITS);
        assertThatThrownBy(verdict::assertProved)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("VIOLATED");
        races.assertNothingLeft();
    }

    @Test
    void explore_lockedRead_isProved() throws SQLException {
        Verdict verdict =
                races.explore(STOCK + "#@ sometimes \"someone waited\"\n" + buyers("BEGIN", "FOR NO KEY UPDATE"));

        assertThat(verdict).as(verdict.text()).isInstanceOf(Verdict.Proved.class);
        assertThat(verdict.coverage().interleavings()).isEqualTo(6);
        assertThat(verdict.coverage().waits()).isPositive();
        verdict.assertProved();
        races.assertNothingLeft();
    }

    @Test
    void explore_serializableWithRetries_isProvedAndRetries() {
        Verdict verdict = races.explore(
                STOCK + "#@ errors allow 40001 retries 3\n" + buyers("BEGIN ISOLATION LEVEL SERIALIZABLE", ""));

        assertThat(verdict).as(verdict.text()).isInstanceOf(Verdict.Proved.class);
        assertThat(verdict.coverage().retried()).isPositive();
        assertThat(verdict.coverage().isolation()).isEqualTo("SERIALIZABLE");
    }

    @Test
    void explore_serializableWithoutRetries_isViolatedByTheError() {
        Verdict.Violated verdict = races.violated(STOCK + buyers("BEGIN ISOLATION LEVEL SERIALIZABLE", ""));

        assertThat(verdict.broken()).isEqualTo("error 40001");
    }

    @Test
    void explore_serialFault_saysThatItIsNoRaceAndTriesNoCure() {
        Verdict.Violated verdict =
                (Verdict.Violated) races.proof(STOCK + """
                #@ invariant "never below zero" { SELECT qty >= 0 FROM stock }
                session ana
                step a { UPDATE stock SET qty = qty - 1; }
                session ben
                step b { UPDATE stock SET qty = qty - 1; }
                """).withFixes().explore();

        assertThat(verdict.fixes()).isEmpty();
        assertThat(verdict.sentence()).startsWith("not a race: fails one after another");
        assertThat(verdict.preemptions()).isZero();
    }

    @Test
    void explore_sometimesThatNeverHappens_isUndecided() {
        Verdict verdict = races.explore(STOCK + """
                #@ sometimes "someone waited"
                session ana
                step a { SELECT qty FROM stock; }
                session ben
                step b { SELECT qty FROM stock; }
                """);

        assertThat(verdict).isInstanceOf(Verdict.Undecided.class);
        assertThat(verdict.summary()).contains("never happened: \"someone waited\"");
        assertThat(verdict.exitCode()).isEqualTo(2);
    }

    @Test
    void explore_preemptionBound_isUndecidedUnlessEverythingFits() {
        String locked = STOCK + buyers("BEGIN", "FOR UPDATE");

        assertThat(races.proof(locked).preemptions(0).explore().word()).isEqualTo("UNDECIDED");
        assertThat(races.proof(locked).preemptions(1).explore().word()).isEqualTo("PROVED");
    }

    @Test
    void explore_timeBudget_isUndecided() {
        Verdict verdict = races.proof(STOCK + buyers("BEGIN", "FOR UPDATE"))
                .budget(Duration.ofNanos(1))
                .explore();

        assertThat(verdict.word()).isEqualTo("UNDECIDED");
        assertThat(verdict.coverage().complete()).isFalse();
    }

    // ---- Serial equivalence.

    private static final String LOSER = STOCK + """
            #@ serial-equivalent %s
            session ana
            step a1 { UPDATE stock SET qty = qty - 1, sold = 1 WHERE item_id = 1 AND qty = 1; }
            session ben
            step b1 { BEGIN; }
            step b2 { SELECT set_config('my.qty', qty::text, false) FROM stock; }
            step b3 { UPDATE stock SET qty = qty - 1, sold = 2
                       WHERE item_id = 1 AND qty = current_setting('my.qty')::int AND qty > 0; }
            step b4 { COMMIT; }
            """;

    @Test
    void explore_loserThatChangedNothing_failsUnderOnAndNamesTheOption() {
        Verdict.Violated verdict = races.violated(LOSER.formatted("on"));

        assertThat(verdict.sentence())
                .contains("only the answer of a session that changed nothing does not fit one order", "writers");
    }

    @Test
    void explore_loserThatChangedNothing_passesUnderWritersAndOff() {
        assertThat(races.explore(LOSER.formatted("writers")).word()).isEqualTo("PROVED");
        assertThat(races.explore(LOSER.formatted("off")).word()).isEqualTo("PROVED");
    }

    @Test
    void explore_ignoredAnswers_doNotCount() {
        assertThat(races.explore(LOSER.formatted("on") + "#@ ignore-result b2 b3\n")
                        .word())
                .isEqualTo("PROVED");
    }

    @Test
    void explore_lostUpdateUnderWriters_isStillViolated() {
        assertThat(races.violated("#@ serial-equivalent writers\n" + NAIVE.replaceAll("#@ inv.*", ""))
                        .broken())
                .isEqualTo("serial equivalence");
    }

    @Test
    void explore_handedOutIdsAndTimes_areMaskedAndListed() {
        Verdict verdict = races.explore("""
                setup { CREATE TABLE orders (id serial PRIMARY KEY, placed timestamptz DEFAULT clock_timestamp(), who text);
                        CREATE TABLE line (id serial PRIMARY KEY, order_id int REFERENCES orders, qty int); }
                teardown { DROP TABLE line, orders; }
                session ana
                step a1 { BEGIN; }
                step a2 { INSERT INTO orders (who) VALUES ('ana') RETURNING id; }
                step a3 { INSERT INTO line (order_id, qty) VALUES (currval('orders_id_seq'), 5) RETURNING order_id, qty; }
                step a4 { COMMIT; }
                session ben
                step b1 { BEGIN; }
                step b2 { INSERT INTO orders (who) VALUES ('ben') RETURNING id; }
                step b3 { ROLLBACK; }
                """);

        assertThat(verdict).as(verdict.text()).isInstanceOf(Verdict.Proved.class);
        assertThat(verdict.coverage().masked())
                .contains("a2.id", "a3.order_id", "line.order_id", "orders.id", "orders.placed")
                .doesNotContain("a3.qty", "line.qty", "orders.who");
    }

    // ---- Errors, retries, deadlocks.

    private static final String TRANSFERS = """
            setup { CREATE TABLE acc (id int PRIMARY KEY, bal int); INSERT INTO acc VALUES (1, 10), (2, 10); }
            teardown { DROP TABLE acc; }
            #@ invariant "sum" { SELECT sum(bal) = 20 FROM acc }
            session ana
            step a1 { BEGIN; }
            step a2 { UPDATE acc SET bal = bal - 1 WHERE id = 1; }
            step a3 { UPDATE acc SET bal = bal + 1 WHERE id = 2; }
            step a4 { COMMIT; }
            session ben
            step b1 { BEGIN; }
            step b2 { UPDATE acc SET bal = bal - 1 WHERE id = 2; }
            step b3 { UPDATE acc SET bal = bal + 1 WHERE id = 1; }
            step b4 { COMMIT; }
            """;

    @Test
    void explore_transfersInOppositeOrder_findsTheDeadlockWithTheSameVictim() {
        for (int i = 0; i < 3; i++) {
            Verdict.Violated verdict = races.violated(TRANSFERS);
            assertThat(verdict.broken()).isEqualTo("error 40P01");
            assertThat(verdict.sentence())
                    .isEqualTo("ana fails at a3: deadlock detected (40P01); ben waits for ana and ana waits for ben,"
                            + " so the server has to end one of them");
            assertThat(verdict.trace().events().stream()
                            .filter(e -> e.session().equals("ana"))
                            .map(Event::kind))
                    .endsWith(Event.Kind.WAITS, Event.Kind.RESUMED, Event.Kind.DONE);
            assertThat(verdict.coverage().violations()).isEqualTo(4);
        }
    }

    @Test
    void explore_deadlockWithRetry_isProved() {
        assertThat(races.explore("#@ errors allow 40P01 retries 1\n" + TRANSFERS)
                        .word())
                .isEqualTo("PROVED");
    }

    @Test
    void explore_allowedErrorWithoutRetry_endsTheSessionAsALoser() {
        Verdict verdict = races.explore("#@ errors allow 40P01\n#@ sometimes \"ana failed\"\n" + TRANSFERS);

        assertThat(verdict).as(verdict.text()).isInstanceOf(Verdict.Proved.class);
    }

    @Test
    void explore_invariantAlways_isCheckedAfterEveryStep() {
        Verdict.Violated verdict = races.violated(STOCK + """
                #@ invariant always "in stock" { SELECT qty > 0 FROM stock }
                session ana
                step a1 { UPDATE stock SET qty = qty - 1; }
                step a2 { UPDATE stock SET qty = qty + 1; }
                session ben
                step b1 { SELECT 1; }
                """);

        assertThat(verdict.sentence()).contains("\"in stock\" is false after step 1");
    }

    @Test
    void explore_lockThatIsNeverGivenUp_isViolatedAsWaitingForEver() {
        Verdict.Violated verdict = races.violated(STOCK + """
                session ana
                step a1 { SELECT pg_advisory_lock(1); }
                session ben
                step b1 { SELECT pg_advisory_lock(1); }
                """);

        assertThat(verdict.broken()).isEqualTo("waits for ever");
    }

    @Test
    void explore_threeSessionsOfOne_areAllRun() {
        Verdict verdict = races.explore("""
                setup { CREATE TABLE stock (qty int, by text DEFAULT ''); INSERT INTO stock VALUES (3); }
                teardown { DROP TABLE stock; }
                #@ sessions 3 of s
                #@ invariant "all took" { SELECT qty = 0 AND length(by) = 3 FROM stock }
                session s
                step a { BEGIN; }
                step b { UPDATE stock SET qty = qty - 1, by = by || current_setting('tiebreak.session'); }
                step c { COMMIT; }
                """);

        assertThat(verdict).as(verdict.text()).isInstanceOf(Verdict.Proved.class);
        assertThat(verdict.coverage().sessions()).containsExactly("s#1", "s#2", "s#3");
    }

    @Test
    void explore_stepsThatChangeTables_setUpEveryRunAnew() {
        Verdict verdict = races.explore("""
                setup { CREATE TABLE t (a int); }
                teardown { DROP TABLE t; }
                session ana
                step a1 { ALTER TABLE t ADD COLUMN b int; }
                session ben
                step b1 { INSERT INTO t (a) VALUES (1); }
                """);

        assertThat(verdict).as(verdict.text()).isInstanceOf(Verdict.Proved.class);
        assertThat(verdict.coverage().interleavings()).isEqualTo(2);
    }

    @Test
    void explore_permutationLines_runsOnlyThose() {
        String listed = NAIVE + """
                permutation ana1 ana2 ana3 ana4 ben1 ben2 ben3 ben4
                permutation ana1 ana2 ana3 ben1 ben2 ben3 ben4 ana4
                """;
        Verdict verdict = races.explore(listed);

        assertThat(verdict.word()).isEqualTo("PROVED");
        assertThat(verdict.coverage().interleavings()).isEqualTo(1);
        assertThat(verdict.coverage().notes()).anyMatch(n -> n.contains("only the 2 permutations"));
        assertThat(races.violated(listed + "permutation ana1 ana2 ben1 ben2 ben3 ben4 ana3 ana4\n")
                        .broken())
                .isEqualTo("sold = taken");
    }

    // ---- Fixes.

    @Test
    void explore_withFixes_saysWhichCuresAreProved() {
        Verdict.Violated verdict =
                (Verdict.Violated) races.proof(NAIVE).withFixes().explore();

        assertThat(verdict.fixes())
                .extracting(Fix::name)
                .containsExactlyInAnyOrder(
                        "FOR NO KEY UPDATE on the reads",
                        "FOR UPDATE on the reads",
                        "advisory lock first",
                        "REPEATABLE READ + retry",
                        "SERIALIZABLE + retry");
        assertThat(verdict.fixes()).allMatch(Fix::proved);
        assertThat(verdict.fixes())
                .filteredOn(f -> f.name().startsWith("FOR UPDATE"))
                .singleElement()
                .satisfies(fix -> assertThat(fix.changes().get(0).after()).endsWith("WHERE item_id = 1 FOR UPDATE"));
        assertThat(verdict.text()).contains("fixes", "SERIALIZABLE + retry: PROVED (");
    }

    @Test
    void explore_withFixesAndBeginInTheSetup_putsTheLockIntoTheFirstStep() {
        String text = NAIVE.replaceAll("step (ana|ben)1 \\{ BEGIN; }", "setup { BEGIN; }");

        Verdict.Violated verdict =
                (Verdict.Violated) races.proof(text).withFixes().explore();

        Fix fix = verdict.fixes().stream()
                .filter(f -> f.name().startsWith("advisory"))
                .findFirst()
                .orElseThrow();
        assertThat(fix.proved()).isTrue();
        assertThat(fix.difference())
                .containsExactly(
                        "advisory lock first, in ana2, ben2:",
                        "- SELECT set_config('my.qty', …",
                        "+ SELECT pg_advisory_xact_lock(1); SELECT set_config('my.qty', …");
    }

    @Test
    void explore_withFixesThatDoNotHelp_saysSo() {
        Verdict.Violated verdict =
                (Verdict.Violated) races.proof(TRANSFERS).withFixes().explore();

        assertThat(verdict.fixes().get(0).proved()).isTrue();
        assertThat(verdict.fixes()).noneMatch(fix -> fix.name().startsWith("FOR"));
    }

    // ---- Replay.

    @Test
    void replay_scheduleOfAViolation_tellsTheSameStory() {
        Verdict.Violated verdict = races.violated(NAIVE);

        var trace = races.proof(NAIVE).replay(verdict.schedule());

        assertThat(trace.counts()).isEqualTo("this interleaving is bad: sold = taken");
        assertThat(trace.events()).isEqualTo(verdict.trace().events());
    }

    @Test
    void replayFile_writtenAndRead_isTheSame(@TempDir Path folder) throws IOException {
        Replay replay = Replay.of(races.violated(NAIVE), NAIVE);
        Path file = folder.resolve("oversell.replay");

        replay.write(file);

        assertThat(Replay.read(file)).isEqualTo(replay);
        assertThat(replay.isOf(NAIVE)).isTrue();
        assertThat(replay.isOf(NAIVE + "\n")).isFalse();
        assertThat(races.proof(NAIVE).replay(Replay.read(file).schedule()).counts())
                .contains("sold = taken");
        Files.writeString(file, "something else");
        assertThatThrownBy(() -> Replay.read(file))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("oversell.replay:1: not a replay file");
    }

    @Test
    void replay_scheduleThatCannotHappen_saysSo() {
        assertThatThrownBy(() -> races.proof(STOCK + buyers("BEGIN", "FOR UPDATE"))
                        .replay(List.of("ana", "ben", "ben", "ben", "ben")))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("cannot be followed");
    }
}
