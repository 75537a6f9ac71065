package dev.tiebreak.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.Table;
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
class RowLocksTest {
    private static final Table SEAT = Table.of("seat").keyedBy("hall", "no");

    private final Db db;
    private final Tx tx;
    private final RowLocks seats = RowLocks.inOrder(SEAT);

    RowLocksTest(int major) {
        this.db = Db.on(major);
        this.tx = Tx.on(db.source());
    }

    @BeforeEach
    void tables() throws SQLException {
        // Stored in falling order, so that a scan meets the rows the other way round than their keys.
        db.run("""
                CREATE TABLE seat (hall text, no int, guest text, PRIMARY KEY (hall, no));
                INSERT INTO seat SELECT 'north', no FROM generate_series(20, 1, -1) no;
                CREATE TABLE ticket (hall text, no int, FOREIGN KEY (hall, no) REFERENCES seat)""");
    }

    private static Key seat(int no) {
        return SEAT.key("hall", "north", "no", no);
    }

    @Test
    void hold_keysInAnyOrder_allHeld() {
        RowLocks.Hold.Held held =
                tx.call(c -> seats.hold(c, seat(3), seat(1), seat(3)).orRollback());
        assertThat(held.keys()).containsExactly(seat(3), seat(1));
    }

    @Test
    void hold_oneMissing_absentNamesIt() {
        assertThatThrownBy(() -> tx.run(c -> seats.hold(c, seat(3), seat(99)).orRollback()))
                .isInstanceOfSatisfying(
                        Lost.class, e -> assertThat(e.outcome()).isEqualTo(new RowLocks.Hold.Absent(seat(99))));
    }

    @Test
    void hold_another_waitsForTheFirst() throws Exception {
        try (Connection c = db.begin()) {
            seats.hold(c, seat(1), seat(2)).orRollback();
            Future<RowLocks.Hold> second = Db.beside(() -> tx.call(d -> seats.hold(d, seat(2), seat(3))));
            db.awaitBlockedBy(c);
            c.commit();
            assertThat(second.get(10, TimeUnit.SECONDS)).isInstanceOf(RowLocks.Hold.Held.class);
        }
    }

    @Test
    void nowait_oneIsHeld_busyAndNoneOfTheOthersIsLocked() throws SQLException {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            seats.hold(c, seat(5)).orRollback();
            Db.run(d, "UPDATE seat SET guest = 'kept' WHERE no = 20");

            assertThat((Object) seats.nowait().hold(d, seat(4), seat(5))).isInstanceOf(RowLocks.Hold.Busy.class);
            assertThat((Object) seats.waiting(Duration.ofMillis(20)).hold(d, seat(4), seat(5)))
                    .isInstanceOf(RowLocks.Hold.Busy.class);
            assertThat((Object) seats.nowait().hold(c, seat(4))).isInstanceOf(RowLocks.Hold.Held.class);
            d.commit();
        }
        assertThat(db.number("SELECT count(*) FROM seat WHERE guest = 'kept'")).isEqualTo(1);
    }

    @Test
    void hold_strengths_shutOutWhatTheySay() throws SQLException {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            Db.run(d, "SET LOCAL lock_timeout = '1s'");
            seats.hold(c, seat(1)).orRollback();
            Db.run(d, "INSERT INTO ticket VALUES ('north', 1)"); // a foreign key passes FOR NO KEY UPDATE
            c.rollback();
            seats.shared().hold(c, seat(2)).orRollback();
            assertThat((Object) seats.shared().nowait().hold(d, seat(2))).isInstanceOf(RowLocks.Hold.Held.class);
            assertThat((Object) seats.nowait().hold(d, seat(2))).isInstanceOf(RowLocks.Hold.Busy.class);
            c.rollback();
            seats.forUpdate().hold(c, seat(3)).orRollback();
            assertThatThrownBy(() -> Db.run(d, "INSERT INTO ticket VALUES ('north', 3)"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("55P03"));
        }
    }

    @Test
    void hold_autocommit_refused() throws SQLException {
        try (Connection c = db.source().getConnection()) {
            assertThatThrownBy(() -> seats.hold(c, seat(1)).orRollback())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("autocommit");
        }
    }

    @Test
    void lockOneByOne_oppositeOrder_deadlock() throws Exception {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            Db.run(c, "SET LOCAL deadlock_timeout = '50ms'; SELECT FROM seat WHERE no = 1 FOR NO KEY UPDATE");
            Db.run(d, "SET LOCAL deadlock_timeout = '10s'; SELECT FROM seat WHERE no = 2 FOR NO KEY UPDATE");
            Future<Boolean> other = Db.beside(() -> {
                Db.run(d, "SELECT FROM seat WHERE no = 1 FOR NO KEY UPDATE");
                return true;
            });
            db.awaitBlockedBy(c);
            assertThatThrownBy(() -> Db.run(c, "SELECT FROM seat WHERE no = 2 FOR NO KEY UPDATE"))
                    .as("the broken variant")
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40P01"));
            c.rollback();
            assertThat(other.get(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void hold_underLoadInRandomOrders_neverDeadlocksAndNoCountIsLost() throws Exception {
        db.run("ALTER TABLE seat ADD sold int NOT NULL DEFAULT 0");
        int rounds = 40;
        Db.together(8, () -> {
            Tx mine = Tx.on(db.kept());
            for (int i = 0; i < rounds; i++) {
                List<Key> five = new ArrayList<>();
                for (int no = 1; no <= 6; no++) {
                    five.add(seat(no));
                }
                Collections.shuffle(five);
                List<Key> wanted = five.subList(0, 5);
                boolean rollBack = i % 4 == 0;
                try {
                    mine.run(c -> {
                        seats.hold(c, wanted).orRollback();
                        for (Key key : wanted) {
                            long no = (Long) key.values().get(1);
                            long sold = Db.number(c, "SELECT sold FROM seat WHERE no = " + no);
                            Db.run(c, "UPDATE seat SET sold = " + (sold + 1) + " WHERE no = " + no);
                        }
                        if (rollBack) {
                            throw new IllegalStateException("changed my mind");
                        }
                    });
                } catch (IllegalStateException expected) {
                    assertThat(expected).hasMessage("changed my mind");
                }
            }
            return null;
        });
        assertThat(db.number("SELECT sum(sold) FROM seat")).isEqualTo(8L * rounds * 3 / 4 * 5);
    }
}
