package dev.tiebreak.prove;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.embedded.Server;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ProofTest {
    private static final String RESET = "TRUNCATE stock, orders RESTART IDENTITY; INSERT INTO stock VALUES (1, 1)";
    private static final DataSource SOURCE =
            Server.dataSource(Server.shared(Server.NEWEST).newDatabase());

    @BeforeAll
    static void database() throws SQLException {
        try (Connection c = SOURCE.getConnection();
                Statement s = c.createStatement()) {
            s.execute("""
                    CREATE TABLE stock (item_id int PRIMARY KEY, qty int NOT NULL);
                    CREATE TABLE orders (id serial PRIMARY KEY, item_id int REFERENCES stock, who text)""");
        }
    }

    /** Ordinary code with a race in it. */
    private static boolean buyNaively(DataSource ds, String who) throws SQLException {
        try (Connection c = ds.getConnection()) {
            c.setAutoCommit(false);
            int left;
            try (PreparedStatement s = c.prepareStatement("SELECT qty FROM stock WHERE item_id = ?")) {
                s.setInt(1, 1);
                try (ResultSet r = s.executeQuery()) {
                    r.next();
                    left = r.getInt(1);
                }
            }
            if (left == 0) {
                c.rollback();
                return false;
            }
            try (PreparedStatement s = c.prepareStatement("UPDATE stock SET qty = ? WHERE item_id = ?")) {
                s.setInt(1, left - 1);
                s.setInt(2, 1);
                s.executeUpdate();
            }
            order(c, who);
            c.commit();
            return true;
        }
    }

    private static boolean buy(DataSource ds, String who) throws SQLException {
        try (Connection c = ds.getConnection()) {
            c.setAutoCommit(false);
            try (Statement s = c.createStatement()) {
                boolean taken = s.executeUpdate("UPDATE stock SET qty = qty - 1 WHERE item_id = 1 AND qty > 0") == 1;
                if (taken) {
                    order(c, who);
                }
                c.commit();
                return taken;
            }
        }
    }

    private static void order(Connection c, String who) throws SQLException {
        try (PreparedStatement s = c.prepareStatement("INSERT INTO orders (item_id, who) VALUES (1, ?)")) {
            s.setString(1, who);
            s.addBatch();
            s.executeBatch();
        }
    }

    private static Proof race() {
        return Proof.on(SOURCE).named("tea sale").reset(RESET);
    }

    private static Proof shop(Proof proof) {
        return proof.invariant("sold = taken", "SELECT (SELECT qty FROM stock) + (SELECT count(*) FROM orders) = 1");
    }

    @Test
    void explore_naivePurchase_isViolatedAndShowsTheValues() {
        Verdict verdict = shop(race())
                .session("ana", ds -> buyNaively(ds, "ana"))
                .session("ben", ds -> buyNaively(ds, "ben"))
                .explore();

        assertThat(verdict).as(verdict.text()).isInstanceOf(Verdict.Violated.class);
        assertThat(verdict.coverage().complete()).isTrue();
        assertThat(((Verdict.Violated) verdict).preemptions()).isEqualTo(1);
        assertThat(verdict.text())
                .contains("VIOLATED", "SELECT qty FROM stock", "→ 1", "COMMIT", "returns", "true")
                .contains("ana", "ben");
        assertThatThrownBy(verdict::assertProved).isInstanceOf(AssertionError.class);
    }

    @Test
    void explore_conditionalPurchase_isProvedAndMasksTheIds() {
        Verdict verdict = shop(race())
                .session("ana", ds -> buy(ds, "ana"))
                .session("ben", ds -> buy(ds, "ben"))
                .someoneWaits()
                .explore();

        verdict.assertProved();
        assertThat(verdict.coverage().masked()).contains("public.orders.id");
        assertThat(verdict.coverage().waits()).isPositive();
    }

    @Test
    void explore_answersThatFitNoOrder_areViolatedWithoutAnInvariant() {
        Verdict verdict = race().session("ana", ds -> buyNaively(ds, "ana"))
                .session("ben", ds -> buyNaively(ds, "ben"))
                .explore();

        assertThat(verdict).isInstanceOf(Verdict.Violated.class);
        assertThat(((Verdict.Violated) verdict).broken()).isEqualTo("serial equivalence");
    }

    @Test
    void replay_scheduleOfAViolation_breaksAgain() {
        Proof proof =
                shop(race()).session("ana", ds -> buyNaively(ds, "ana")).session("ben", ds -> buyNaively(ds, "ben"));
        Verdict.Violated verdict = (Verdict.Violated) proof.explore();

        assertThat(proof.replay(verdict.schedule()).events())
                .isEqualTo(verdict.trace().events());
    }

    @Test
    void explore_exceptionOfTheCode_isViolatedUnlessAllowed() {
        Proof.Session soldOut = ds -> {
            if (!buy(ds, "x")) {
                throw new IllegalStateException("sold out");
            }
            return true;
        };

        Verdict refused = race().session("ana", soldOut).session("ben", soldOut).explore();
        Verdict allowed = race().session("ana", soldOut)
                .session("ben", soldOut)
                .allow(IllegalStateException.class)
                .explore();

        assertThat(refused).as(refused.text()).isInstanceOf(Verdict.Violated.class);
        assertThat(refused.text()).contains("IllegalStateException: sold out");
        allowed.assertProved();
    }

    @Test
    void explore_errorOfTheServer_isViolatedUnlessAllowed() {
        Proof.Session serializable = ds -> {
            try (Connection c = ds.getConnection()) {
                c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                c.setAutoCommit(false);
                try (Statement s = c.createStatement()) {
                    s.executeUpdate("UPDATE stock SET qty = qty - 1 WHERE qty > 0");
                }
                c.commit();
                return null;
            }
        };

        Verdict refused =
                race().session("ana", serializable).session("ben", serializable).explore();
        Verdict allowed = race().session("ana", serializable)
                .session("ben", serializable)
                .allowErrors("40001")
                .explore();

        assertThat(refused).as(refused.text()).isInstanceOf(Verdict.Violated.class);
        assertThat(((Verdict.Violated) refused).broken()).isEqualTo("error 40001");
        allowed.assertProved();
        assertThat(allowed.coverage().isolation()).isEqualTo("SERIALIZABLE");
    }

    @Test
    void explore_savepointsAndForgottenConnections_areStepsToo() {
        Proof.Session tries = ds -> {
            Connection c = ds.getConnection();
            c.setAutoCommit(false);
            try (Statement s = c.createStatement()) {
                Savepoint before = c.setSavepoint();
                try {
                    s.executeUpdate("INSERT INTO stock VALUES (2, 5)");
                    c.releaseSavepoint(before);
                } catch (SQLException e) {
                    c.rollback(before);
                }
                s.executeUpdate("UPDATE stock SET qty = 7 WHERE item_id = 2");
            }
            c.commit();
            try (Statement s = c.createStatement()) {
                s.execute("UPDATE stock SET qty = 100");
            }
            return "forgot to close";
        };

        Verdict verdict = race().session("ana", tries)
                .session("ben", tries)
                .invariant("rolled back", "SELECT max(qty) = 7 FROM stock")
                .someoneWaits()
                .explore();

        verdict.assertProved();
    }

    @Test
    void explore_codeThatDoesSomethingElseEveryTime_failsLoudly() {
        AtomicInteger count = new AtomicInteger();

        assertThatThrownBy(() -> race().session("ana", ds -> {
                            try (Connection c = ds.getConnection();
                                    Statement s = c.createStatement()) {
                                s.execute("SELECT " + count.incrementAndGet());
                            }
                            return null;
                        })
                        .session("ben", ds -> buy(ds, "ben"))
                        .explore())
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("session ana is not deterministic")
                .message()
                .hasLineCount(1);
    }

    @Test
    void explore_valueWithoutText_asksForOne() {
        assertThatThrownBy(() -> race().session("ana", ds -> new Object()).explore())
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("session ana returns a java.lang.Object");
    }

    @Test
    void explore_sessionsThatLockEachOtherInTheJvm_areViolated() {
        ReentrantLock one = new ReentrantLock();
        ReentrantLock two = new ReentrantLock();

        Verdict verdict = race().run("ana", ds -> buyUnder(one, two, ds, "ana"))
                .run("ben", ds -> buyUnder(two, one, ds, "ben"))
                .preemptions(1)
                .explore();

        assertThat(verdict).as(verdict.text()).isInstanceOf(Verdict.Violated.class);
        assertThat(((Verdict.Violated) verdict).broken()).isEqualTo("waits for ever");
        assertThat(verdict.text()).contains("ana is blocked in the JVM at", "ProofTest.buyUnder");
    }

    private static void buyUnder(ReentrantLock first, ReentrantLock second, DataSource ds, String who)
            throws Exception {
        first.lockInterruptibly();
        try {
            buy(ds, who);
            second.lockInterruptibly();
            try {
                buy(ds, who);
            } finally {
                second.unlock();
            }
        } finally {
            first.unlock();
        }
    }

    @Test
    void explore_resetThatFails_saysSo() {
        assertThatThrownBy(() -> Proof.on(SOURCE)
                        .reset("TRUNCATE nothing")
                        .session("ana", ds -> buy(ds, "ana"))
                        .explore())
                .isInstanceOf(SetupException.class)
                .hasMessage("reset failed: relation \"nothing\" does not exist (42P01)");
    }

    @Test
    void racing_beansMadeOnce_takePartInTheRaceAndWorkOutside() throws SQLException {
        DataSource racing = Proof.racing(SOURCE);
        try (Connection c = racing.getConnection()) {
            assertThat(c.isValid(1)).isTrue();
        }

        Verdict verdict = shop(Proof.on(racing).reset(RESET))
                .session("ana", ds -> buyNaively(racing, "ana"))
                .session("ben", ds -> buyNaively(racing, "ben"))
                .explore();

        assertThat(verdict).isInstanceOf(Verdict.Violated.class);
        assertThat(((Verdict.Violated) verdict).schedule()).containsAll(List.of("ana", "ben"));
    }
}
