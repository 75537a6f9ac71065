package dev.tiebreak.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.RaceListener;
import dev.tiebreak.Tx;
import dev.tiebreak.embedded.Server;
import dev.tiebreak.schema.Schema;
import dev.tiebreak.testing.Db;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class LeasesTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);

    private final Db db;
    private final Tx tx;
    private final String url;
    private final Leases leases;

    LeasesTest(int major) {
        this.url = Server.shared(major).newDatabase();
        this.db = Db.at(url);
        this.tx = Tx.on(db.source());
        this.leases = Leases.on(db.source()).lasting(LONG).as("ana");
    }

    @BeforeEach
    void tables() throws SQLException {
        List<String> unused = Schema.standard().install(db.source());
        db.run("CREATE TABLE report (author text); INSERT INTO report VALUES ('nobody')");
    }

    private static Lease held(Leases from, String name) throws SQLException, InterruptedException {
        return from.hold(name).orRollback().lease();
    }

    @Test
    void hold_free_heldAndTheOtherIsToldByWhom() throws Exception {
        try (Lease lease = held(leases, "report")) {
            assertThat(lease.token()).isEqualTo(1);
            assertThat((Object) leases.as("ben").hold("report"))
                    .isInstanceOfSatisfying(Leases.Hold.OwnedBy.class, other -> {
                        assertThat(other.holder()).isEqualTo("ana");
                        assertThat(other.token()).isEqualTo(1);
                        assertThat(Duration.between(lease.since(), other.until()))
                                .isBetween(LONG.minusMillis(50), LONG);
                    });
            assertThat((Object) leases.hold("another")).isInstanceOf(Leases.Hold.Held.class);
        }
        try (Lease next = held(leases.as("ben"), "report")) {
            assertThat(next.token()).isEqualTo(2);
        }
    }

    @Test
    void hold_manyAtOnce_oneHoldsAndTokensOnlyGrow() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        Leases patient = leases.unrenewed().waiting(Duration.ofSeconds(30));
        List<List<Long>> tokens = Db.together(6, () -> {
            List<Long> mine = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                try (Lease lease = held(patient, "report")) {
                    assertThat(inside.incrementAndGet()).as("holders at once").isEqualTo(1);
                    mine.add(lease.token());
                    inside.decrementAndGet();
                }
            }
            return mine;
        });
        assertThat(tokens.stream().flatMap(List::stream)).hasSize(60).doesNotHaveDuplicates();
        assertThat(db.number("SELECT token FROM tiebreak.lease")).isEqualTo(60);
    }

    @Test
    void hold_holderNeverHeardOfAgain_takenOverAfterItsTime() throws Exception {
        try (Lease dead = held(leases.lasting(SHORT).unrenewed(), "report");
                Lease next = held(leases.waiting(Duration.ofSeconds(10)), "report")) {
            assertThat(next.token()).isEqualTo(dead.token() + 1);
            assertThat(Duration.between(dead.since(), next.since())).isGreaterThanOrEqualTo(SHORT);
            assertThat(dead.isLost()).isTrue();
            assertThat(dead.renew()).isFalse();
            assertThat(dead.lost().get(1, TimeUnit.SECONDS)).contains("another holder");
        }
    }

    @Test
    void close_leaseWasLost_freesNothing() throws Exception {
        Lease dead = held(leases.lasting(SHORT).unrenewed(), "report");
        try (Lease next = held(leases.waiting(Duration.ofSeconds(10)), "report")) {
            dead.close();
            assertThat((Object) leases.hold("report"))
                    .isInstanceOfSatisfying(Leases.Hold.OwnedBy.class, other -> assertThat(other.token())
                            .isEqualTo(next.token()));
        }
    }

    @Test
    void hold_renewed_outlivesItsTime() throws Exception {
        try (Lease lease = held(leases.lasting(SHORT), "report")) {
            assertThat((Object) leases.waiting(SHORT.multipliedBy(3)).hold("report"))
                    .isInstanceOf(Leases.Hold.OwnedBy.class);
            assertThat(lease.isLost()).isFalse();
        }
    }

    @Test
    void hold_interruptedWhileItWaits_saysSo() throws Exception {
        try (Lease lease = held(leases, "report")) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> held(leases.waiting(LONG), "report").close())
                    .isInstanceOf(InterruptedException.class);
            assertThat(lease.isLost()).isFalse();
        }
    }

    @Test
    void atLeast_givenBackAtOnce_staysTakenForThatLong() throws Exception {
        Lease quick = held(leases.atLeast(Duration.ofMillis(250)), "report");
        quick.close();
        assertThat((Object) leases.hold("report")).isInstanceOf(Leases.Hold.OwnedBy.class);
        try (Lease next = held(leases.waiting(Duration.ofSeconds(10)), "report")) {
            assertThat(Duration.between(quick.since(), next.since())).isGreaterThanOrEqualTo(Duration.ofMillis(250));
        }
    }

    @Test
    void fence_stillTheHolder_takeoverWaitsForTheWrite() throws Exception {
        try (Lease lease = held(leases.lasting(SHORT).unrenewed(), "report");
                Connection c = db.begin()) {
            lease.fence(c).orRollback();
            Db.run(c, "UPDATE report SET author = 'ana'");
            Future<Leases.Hold> ben =
                    Db.beside(() -> leases.as("ben").waiting(LONG).hold("report"));
            db.awaitBlockedBy(c); // the time has passed, but the write has not committed
            c.commit();
            try (Lease next = ben.get(10, TimeUnit.SECONDS).orRollback().lease()) {
                assertThat(next.token()).isEqualTo(2);
                assertThat((Object) lease.fence(c)).isEqualTo(new Lease.Fence.Stale(2));
                c.rollback();
            }
        }
    }

    @Test
    void fence_autocommit_refused() throws Exception {
        try (Lease lease = held(leases, "report");
                Connection c = db.source().getConnection()) {
            assertThatThrownBy(() -> lease.fence(c).orRollback()).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void hold_inAnOpenTransactionByNow_isPartSpent_andOursIsWhole() throws Exception {
        try (Connection c = db.begin()) {
            Db.run(c, "SELECT 1"); // now() stands still from here on
            try (Lease lease = held(leases.lasting(SHORT).unrenewed(), "report")) {
                assertThat((Object) leases.waiting(Duration.ofSeconds(10)).hold("report"))
                        .isInstanceOf(Leases.Hold.Held.class);
                assertThat(lease.isLost()).isTrue();
            }
            assertThat(Db.number(c, "SELECT (now() + interval '300 ms' < clock_timestamp())::int"))
                    .as("the broken variant: a lease that is over when it is taken")
                    .isEqualTo(1);
            assertThat(db.number("SELECT (until > clock_timestamp() + interval '25 s')::int FROM tiebreak.lease"))
                    .isEqualTo(1);
        }
    }

    @Test
    void hold_poolWithAutocommitOff_worksAndGivesItBackAsItWas() throws Exception {
        Connection kept = db.begin();
        Leases pooled = Leases.on(Db.always(kept));
        try (kept;
                Lease lease = held(pooled, "report")) {
            assertThat(lease.renew()).isTrue();
            assertThat(kept.getAutoCommit()).isFalse();
            assertThat(db.number("SELECT token FROM tiebreak.lease")).isEqualTo(1);
        }
    }

    @Test
    void hold_settled_theListenerHears() throws Exception {
        List<RaceListener.Event> events = new ArrayList<>();
        Leases heard = leases.named("nightly").listening(events::add);
        try (Lease lease = held(heard, "report")) {
            assertThat((Object) heard.hold("report")).isInstanceOf(Leases.Hold.OwnedBy.class);
            assertThat(lease.name()).isEqualTo("report");
        }
        assertThat(events).extracting(RaceListener.Event::outcome).containsExactly("Held", "OwnedBy");
        assertThat(events).extracting(RaceListener.Event::race).containsOnly("nightly");
    }

    @Test
    void in_anotherSchema_works() throws Exception {
        List<String> unused = Schema.named("Other").install(db.source());
        try (Lease lease = held(leases.in("Other"), "report");
                Lease other = held(leases, "report")) {
            assertThat(lease.token()).isEqualTo(other.token());
        }
    }

    @Test
    void frozenProcess_pastItsTime_itsFencedWriteIsRefusedAndTheUnfencedOneIsNot() throws Exception {
        Process holder = start();
        BufferedWriter orders = holder.outputWriter(StandardCharsets.UTF_8);
        try (BufferedReader says = holder.inputReader(StandardCharsets.UTF_8)) {
            assertThat(says.readLine()).isEqualTo("held 1");
            signal(holder, "-STOP");
            try (Lease next = held(leases.waiting(Duration.ofSeconds(20)), "report")) {
                assertThat(next.token()).isEqualTo(2);
                tx.run(c -> {
                    next.fence(c).orRollback();
                    Db.run(c, "UPDATE report SET author = 'ana'");
                });
                signal(holder, "-CONT");

                assertThat(ask(orders, says, "write fenced")).isEqualTo("Stale[now=2]");
                assertThat(author()).isEqualTo("ana");

                assertThat(ask(orders, says, "write unfenced"))
                        .as("the broken variant")
                        .isEqualTo("wrote");
                assertThat(author()).isEqualTo("paused");
            }
            orders.close();
            assertThat(says.readLine()).as("and it hears of it").contains("another holder");
            assertThat(holder.waitFor(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            Process unused = holder.destroyForcibly();
        }
    }

    private static String ask(BufferedWriter orders, BufferedReader says, String order) throws IOException {
        orders.write(order);
        orders.newLine();
        orders.flush();
        return says.readLine();
    }

    private String author() throws SQLException {
        return db.text("SELECT author FROM report");
    }

    private Process start() throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return new ProcessBuilder(
                        java.toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PausedHolder.class.getName(),
                        url)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static void signal(Process process, String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }
}
