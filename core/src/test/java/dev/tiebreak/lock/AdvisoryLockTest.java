package dev.tiebreak.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Tx;
import dev.tiebreak.testing.Db;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class AdvisoryLockTest {
    private static final String HELD =
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted" + " AND pid = pg_backend_pid()";

    private final Db db;
    private final Tx tx;
    private final AdvisoryLock rooms = AdvisoryLock.of("rooms");

    AdvisoryLockTest(int major) {
        this.db = Db.on(major);
        this.tx = Tx.on(db.source());
    }

    @BeforeEach
    void tables() throws SQLException {
        db.run("CREATE TABLE counter (n bigint NOT NULL); INSERT INTO counter VALUES (0);"
                + "CREATE TABLE booking (room int, day date)");
    }

    @Test
    void hold_another_waitsUntilTheCommit() throws Exception {
        try (Connection c = db.begin()) {
            rooms.hold(c, "7").orRollback();
            Future<Long> second = Db.beside(() -> tx.call(d -> {
                rooms.hold(d, "7").orRollback();
                return Db.number(d, "SELECT n FROM counter");
            }));
            db.awaitBlockedBy(c);
            Db.run(c, "UPDATE counter SET n = 1");
            c.commit();
            assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(1);
        }
    }

    @Test
    void hold_underLoadWithRollbacks_noIncrementIsLost() throws Exception {
        Db.together(2, () -> {
            Tx mine = Tx.on(db.kept());
            for (int i = 0; i < 100; i++) {
                for (boolean rollBack : new boolean[] {i % 4 == 0, false}) {
                    try {
                        mine.run(c -> {
                            rooms.hold(c, "counter").orRollback();
                            long n = Db.number(c, "SELECT n FROM counter");
                            Db.run(c, "UPDATE counter SET n = " + (n + 1));
                            if (rollBack) {
                                throw new IllegalStateException("changed my mind");
                            }
                        });
                        break;
                    } catch (IllegalStateException again) {
                        assertThat(again).hasMessage("changed my mind");
                    }
                }
            }
            return null;
        });
        assertThat(db.number("SELECT n FROM counter")).isEqualTo(200);
    }

    @Test
    void unlockBeforeTheCommit_twoIncrements_oneIsLost() throws Exception {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            Db.run(c, "SELECT pg_advisory_lock(1)");
            long first = Db.number(c, "SELECT n FROM counter");
            Db.run(c, "UPDATE counter SET n = " + (first + 1) + "; SELECT pg_advisory_unlock(1)");
            Db.run(d, "SELECT pg_advisory_lock(1)"); // free, though the first has not committed
            long second = Db.number(d, "SELECT n FROM counter");
            c.commit();
            Db.run(d, "UPDATE counter SET n = " + (second + 1) + "; SELECT pg_advisory_unlock(1)");
            d.commit();
        }
        assertThat(db.number("SELECT n FROM counter")).as("the broken variant").isEqualTo(1);
    }

    @Test
    void forUpdateThatFindsNoRow_twoAtOnce_bookTwice_andUnderTheNameOnce() throws Exception {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            Db.run(c, "SELECT * FROM booking WHERE room = 7 AND day = '2026-11-30' FOR UPDATE");
            Db.run(d, "SELECT * FROM booking WHERE room = 7 AND day = '2026-11-30' FOR UPDATE"); // locks nothing
            Db.run(c, "INSERT INTO booking VALUES (7, '2026-11-30')");
            Db.run(d, "INSERT INTO booking VALUES (7, '2026-11-30')");
            c.commit();
            d.commit();
        }
        assertThat(db.number("SELECT count(*) FROM booking"))
                .as("the broken variant")
                .isEqualTo(2);

        db.run("TRUNCATE booking");
        Db.together(8, () -> {
            tx.run(c -> {
                rooms.hold(c, "7/2026-11-30").orRollback();
                if (Db.number(c, "SELECT count(*) FROM booking WHERE room = 7 AND day = '2026-11-30'") == 0) {
                    Db.run(c, "INSERT INTO booking VALUES (7, '2026-11-30')");
                }
            });
            return null;
        });
        assertThat(db.number("SELECT count(*) FROM booking")).isEqualTo(1);
    }

    @Test
    void tryLockInAWhereClause_sortedAndLimited_locksEverything_andTryHoldJustOne() throws SQLException {
        db.run(
                "CREATE TABLE job (id int PRIMARY KEY, due int); INSERT INTO job SELECT i, 100 - i FROM generate_series(1, 50) i");
        try (Connection c = db.begin()) {
            Db.run(c, "SELECT id FROM job WHERE pg_try_advisory_xact_lock(900, id) ORDER BY due LIMIT 1");
            assertThat(Db.number(c, HELD)).as("the broken variant").isEqualTo(50);
            c.rollback();
            rooms.tryHold(c, "job 50").orRollback();
            assertThat(Db.number(c, HELD)).isEqualTo(1);
        }
    }

    @Test
    void tryHold_oneOfSeveralIsHeld_busyAndNoneIsKept() throws SQLException {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            rooms.hold(c, "b").orRollback();
            Db.run(d, "UPDATE counter SET n = 5");
            assertThat((Object) rooms.tryHold(d, "a", "b", "c")).isInstanceOf(AdvisoryLock.Hold.Busy.class);
            assertThat((Object) rooms.tryHold(d, "b")).isInstanceOf(AdvisoryLock.Hold.Busy.class);
            assertThat(Db.number(d, HELD)).isZero();
            assertThat((Object) rooms.tryHold(d, "a", "c")).isInstanceOf(AdvisoryLock.Hold.Held.class);
            assertThat(Db.number(d, HELD)).isEqualTo(2);
            d.commit();
        }
        assertThat(db.number("SELECT n FROM counter")).isEqualTo(5);
    }

    @Test
    void waiting_heldTooLong_busyAndTheTransactionGoesOn() throws SQLException {
        List<RaceListener.Event> events = new ArrayList<>();
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            rooms.hold(c, "b").orRollback();
            Db.run(d, "UPDATE counter SET n = 5");
            assertThatThrownBy(() -> rooms.waiting(Duration.ofMillis(20))
                            .listening(events::add)
                            .hold(d, "a", "b")
                            .orRollback())
                    .isInstanceOf(Lost.class);
            assertThat(Db.number(d, HELD)).isZero();
            d.commit();
        }
        assertThat(db.number("SELECT n FROM counter")).isEqualTo(5);
        assertThat(events).singleElement().satisfies(e -> assertThat(e.outcome())
                .isEqualTo("Busy"));
    }

    @Test
    void hold_severalInRandomOrders_neverDeadlocks() throws Exception {
        Db.together(6, () -> {
            Tx mine = Tx.on(db.kept());
            for (int i = 0; i < 40; i++) {
                List<String> names = new ArrayList<>(List.of("a", "b", "c", "d", "e"));
                Collections.shuffle(names);
                mine.run(c -> rooms.hold(c, names.subList(0, 3)).orRollback());
            }
            return null;
        });
    }

    @Test
    void shared_manyAtOnce_andNobodyElse() throws SQLException {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            rooms.shared().hold(c, "a").orRollback();
            rooms.shared().tryHold(d, "a").orRollback();
            d.rollback();
            assertThat((Object) rooms.tryHold(d, "a")).isInstanceOf(AdvisoryLock.Hold.Busy.class);
        }
    }

    @Test
    void hold_snapshotMayBeOlder_refused() {
        for (Tx strong : List.of(tx.repeatableRead(), tx.serializable())) {
            assertThatThrownBy(() -> strong.run(c -> rooms.hold(c, "a").orRollback()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("READ COMMITTED");
            assertThatThrownBy(() -> strong.run(c -> rooms.tryHold(c, "a", "b").orRollback()))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void hold_autocommit_refused() throws SQLException {
        try (Connection c = db.source().getConnection()) {
            assertThatThrownBy(() -> rooms.hold(c, "a").orRollback()).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> rooms.tryHold(c, "a").orRollback()).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void number_isWhatTheServerComputesFromTheDescription_andNeverHashtext() throws SQLException {
        for (String name : List.of("7", "", "Zürich ☂", "order:100897", "order:105211")) {
            assertThat(rooms.number(name)).isEqualTo(db.number("""
                            SELECT ('x' || encode(substr(sha256(int4send(octet_length('rooms')) || 'rooms'::bytea
                                || int4send(octet_length(convert_to('%1$s', 'UTF8'))) || convert_to('%1$s', 'UTF8')),
                                1, 8), 'hex'))::bit(64)::bigint""".formatted(name)));
        }
        assertThat(db.number("SELECT count(DISTINCT hashtext(x)) FROM unnest(ARRAY['order:100897', 'order:105211']) x"))
                .as("the broken variant: two orders, one lock")
                .isEqualTo(1);
        assertThat(rooms.number("order:100897")).isNotEqualTo(rooms.number("order:105211"));
        assertThat(rooms.number("7")).isNotEqualTo(AdvisoryLock.of("invoices").number("7"));
    }

    @Test
    void oneArgumentAndTwoArgumentLocks_sameNumber_doNotExclude() throws SQLException {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            Db.run(c, "SELECT pg_advisory_xact_lock(1)");
            assertThat(Db.number(d, "SELECT pg_try_advisory_xact_lock(0, 1)::int"))
                    .as("the broken variant: two key spaces")
                    .isEqualTo(1);
            d.rollback();
            rooms.hold(c, "1").orRollback();
            assertThat(Db.number(d, "SELECT pg_try_advisory_xact_lock(" + rooms.number("1") + ")::int"))
                    .isZero();
        }
    }

    @Test
    void inUse_oneHoldsAndOneWaits_bothAreNamed() throws Exception {
        try (Connection c = db.begin();
                Connection watcher = db.source().getConnection()) {
            rooms.hold(c, "7/2026-11-30").orRollback();
            Future<Object> second = Db.beside(() -> tx.call(d -> rooms.hold(d, "7/2026-11-30")));
            db.awaitBlockedBy(c);
            List<AdvisoryLock.InUse> inUse = rooms.inUse(watcher);
            assertThat(inUse).extracting(AdvisoryLock.InUse::name).containsExactly("7/2026-11-30", "7/2026-11-30");
            assertThat(inUse).extracting(AdvisoryLock.InUse::held).containsExactly(true, false);
            assertThat(inUse.getFirst().pid()).isEqualTo((int) Db.number(c, "SELECT pg_backend_pid()"));
            assertThat(AdvisoryLock.of("others").inUse(watcher)).isEmpty();
            c.commit();
            assertThat(second.get(10, TimeUnit.SECONDS)).isInstanceOf(AdvisoryLock.Hold.Held.class);
        }
    }

    @Test
    void inUse_manyNames_remembersABoundedNumber() throws SQLException {
        try (Connection c = db.begin()) {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < AdvisoryLock.REMEMBERED + 500; i++) {
                names.add("n" + i);
            }
            rooms.hold(c, names).orRollback();
            assertThat(rooms.inUse(c)).hasSize(AdvisoryLock.REMEMBERED);
        }
    }
}
