package dev.tiebreak.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Retry;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.schema.Schema;
import dev.tiebreak.testing.Db;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class ReservationsTest {
    private static final Table SHELF = Table.of("shelf").keyedBy("shop", "item");
    private static final Key TEA = SHELF.key("shop", "north", "item", 1);

    private final Db db;
    private final Tx tx;
    private final Reservations carts = Reservations.of(Stock.of(SHELF, "qty").named("tea sale"));

    ReservationsTest(int major) {
        this.db = Db.on(major);
        this.tx = Tx.on(db.source());
    }

    @BeforeEach
    void tables() throws SQLException {
        List<String> unused = Schema.standard().install(db.source());
        db.run("CREATE TABLE shelf (shop text, item int, qty bigint NOT NULL, PRIMARY KEY (shop, item));"
                + " INSERT INTO shelf SELECT 'north', i, 10 FROM generate_series(5, 1, -1) i;"
                + " CREATE TABLE note (text text)");
    }

    private Object outcome(Tx.Body<?, RuntimeException> body) {
        return tx.call(body);
    }

    private UUID held(Reservations from, Key key, long n) {
        return tx.call(c -> from.hold(c, key, n).orRollback()).id();
    }

    private long left(int item) throws SQLException {
        return db.number("SELECT qty FROM shelf WHERE item = " + item);
    }

    private void over(UUID id) throws SQLException {
        db.run("UPDATE tiebreak.reservation SET until = clock_timestamp() WHERE id = '" + id + "'");
    }

    @Test
    void hold_thenConfirm_unitsAreGoneForGood() throws SQLException {
        UUID id = held(carts, TEA, 3);
        assertThat(left(1)).isEqualTo(7);
        assertThat(outcome(c -> carts.confirm(c, id))).isEqualTo(new Reservations.Confirm.Confirmed(TEA, 3));
        assertThat(outcome(c -> carts.confirm(c, id)))
                .as("a repeated request")
                .isEqualTo(new Reservations.Confirm.Stale(Reservations.State.CONFIRMED));
        assertThat(outcome(c -> carts.cancel(c, id)))
                .isEqualTo(new Reservations.Cancel.Stale(Reservations.State.CONFIRMED));
        over(id);
        assertThat(outcome(c -> carts.expire(c, 10))).isEqualTo(new Reservations.Swept(0, Map.of()));
        assertThat(left(1)).isEqualTo(7);
    }

    @Test
    void hold_thenCancel_unitsAreBackOnce() throws SQLException {
        UUID id = held(carts, TEA, 3);
        assertThat(outcome(c -> carts.cancel(c, id))).isInstanceOf(Reservations.Cancel.Cancelled.class);
        assertThat(outcome(c -> carts.cancel(c, id)))
                .isEqualTo(new Reservations.Cancel.Stale(Reservations.State.CANCELLED));
        assertThat(outcome(c -> carts.confirm(c, id)))
                .isEqualTo(new Reservations.Confirm.Stale(Reservations.State.CANCELLED));
        assertThat(left(1)).isEqualTo(10);
    }

    @Test
    void hold_untilAnInstant_isOverWhenTheDatabasesClockSaysSo() throws SQLException {
        Instant end = Instant.parse("2999-12-31T23:00:00Z");
        Reservations.Hold.Held held = tx.call(c -> carts.hold(c, TEA, 2, end).orRollback());
        assertThat(held.until()).isEqualTo(end);
        assertThat(outcome(c -> carts.expire(c, 10))).isEqualTo(new Reservations.Swept(0, Map.of()));
        UUID past =
                tx.call(c -> carts.hold(c, TEA, 1, Instant.EPOCH).orRollback()).id();
        assertThat(outcome(c -> carts.confirm(c, past)))
                .isEqualTo(new Reservations.Confirm.Stale(Reservations.State.EXPIRED));
        assertThat(outcome(c -> carts.expire(c, 10))).isEqualTo(new Reservations.Swept(1, Map.of(TEA, 1L)));
        assertThat(left(1)).isEqualTo(8);
    }

    @Test
    void expire_tablesOfTheSameNameInTwoSchemas_eachGetsItsOwnBack() throws SQLException {
        db.run("CREATE SCHEMA north; CREATE TABLE north.shelf (LIKE public.shelf INCLUDING ALL);"
                + " INSERT INTO north.shelf SELECT * FROM public.shelf");
        over(held(carts, TEA, 3));
        Object swept = outcome(c -> {
            Db.run(c, "SET LOCAL search_path = north");
            return carts.expire(c, 10);
        });
        assertThat(swept).as("another shop's reservation").isEqualTo(new Reservations.Swept(0, Map.of()));
        assertThat(outcome(c -> carts.expire(c, 10))).isEqualTo(new Reservations.Swept(1, Map.of(TEA, 3L)));
        assertThat(db.number("SELECT sum(qty) FROM north.shelf")).isEqualTo(50);
    }

    @Test
    void expire_rowOfTheStockIsGone_isNotSaidToBeBack() throws SQLException {
        over(held(carts, TEA, 3));
        db.run("DELETE FROM shelf WHERE item = 1");
        assertThat(outcome(c -> carts.expire(c, 10))).isEqualTo(new Reservations.Swept(1, Map.of()));
    }

    @Test
    void keys_handedBack_equalThoseThatWereGiven() throws SQLException {
        db.run("CREATE TABLE seat (hall uuid, row_no smallint, price numeric(6, 2), qty int NOT NULL,"
                + " PRIMARY KEY (hall, row_no, price));"
                + " INSERT INTO seat VALUES ('6f1cd6a5-96e1-4b4b-9f4b-0d8a9ef6b0aa', 3, 9.50, 4)");
        Table seats = Table.of("seat").keyedBy("hall", "row_no", "price");
        UUID hall = UUID.fromString("6f1cd6a5-96e1-4b4b-9f4b-0d8a9ef6b0aa");
        Reservations halls = Reservations.of(Stock.of(seats, "qty").advisory());
        UUID id = held(halls, seats.key("hall", hall, "row_no", 3, "price", new BigDecimal("9.50")), 1);
        assertThat(outcome(c -> halls.cancel(c, id)))
                .isEqualTo(new Reservations.Cancel.Cancelled(seats.key("hall", hall, "row_no", 3, "price", "9.5"), 1));
        assertThat(db.number("SELECT qty FROM seat")).isEqualTo(4);
    }

    @Test
    void hold_tooMany_soldOutAndNoReservation() throws SQLException {
        assertThat(outcome(c -> carts.hold(c, TEA, 11))).isEqualTo(new Reservations.Hold.SoldOut(10));
        Key missing = SHELF.key("shop", "south", "item", 1);
        assertThat(outcome(c -> carts.hold(c, missing, 1))).isEqualTo(new Reservations.Hold.Absent(missing));
        assertThat(db.number("SELECT count(*) FROM tiebreak.reservation")).isZero();
    }

    @Test
    void confirm_timeIsOver_staleThoughNoSweepCameBy() throws SQLException {
        UUID id = held(carts, TEA, 3);
        over(id);
        assertThatThrownBy(() -> tx.run(c -> {
                    Db.run(c, "INSERT INTO note VALUES ('ordered')");
                    carts.confirm(c, id).orRollback();
                }))
                .isInstanceOfSatisfying(Lost.class, e -> assertThat(e.outcome())
                        .isEqualTo(new Reservations.Confirm.Stale(Reservations.State.EXPIRED)));
        assertThat(db.number("SELECT count(*) FROM note")).isZero();
        assertThat(outcome(c -> carts.expire(c, 10))).isEqualTo(new Reservations.Swept(1, Map.of(TEA, 3L)));
        assertThat(left(1)).isEqualTo(10);
    }

    @Test
    void confirm_unknown_absent() {
        assertThat(outcome(c -> carts.confirm(c, UUID.randomUUID()))).isInstanceOf(Reservations.Confirm.Absent.class);
        assertThat(outcome(c -> carts.cancel(c, UUID.randomUUID()))).isInstanceOf(Reservations.Cancel.Absent.class);
    }

    @Test
    void confirm_reservationOfAnotherStock_absent() throws SQLException {
        db.run("CREATE TABLE other (shop text, item int, qty bigint, PRIMARY KEY (shop, item))");
        UUID id = held(carts, TEA, 3);
        Reservations others = Reservations.of(Stock.of(Table.of("other").keyedBy("shop", "item"), "qty"));
        assertThat(outcome(c -> others.confirm(c, id))).isInstanceOf(Reservations.Confirm.Absent.class);
    }

    @Test
    void expire_oneIsBeingConfirmed_isSkippedAndNothingComesBack() throws Exception {
        Reservations brief = carts.lasting(Duration.ofMillis(1));
        UUID confirmed = held(carts, TEA, 1);
        UUID forgotten = held(brief, TEA, 2);
        try (Connection c = db.begin()) {
            carts.confirm(c, confirmed).orRollback();
            over(forgotten);
            assertThat(((Reservations.Swept) outcome(d -> carts.expire(d, 10))).reservations())
                    .isEqualTo(1);
            Future<Object> cancel = Db.beside(() -> outcome(d -> carts.cancel(d, confirmed)));
            db.awaitBlockedBy(c);
            c.commit();
            assertThat(cancel.get(10, TimeUnit.SECONDS))
                    .isEqualTo(new Reservations.Cancel.Stale(Reservations.State.CONFIRMED));
        }
        assertThat(left(1)).isEqualTo(9);
    }

    @Test
    void lookThenGiveBack_cancelBesideTheSweep_unitsAreMade() throws Exception {
        UUID id = held(carts, TEA, 3);
        String held = "SELECT count(*) FROM tiebreak.reservation WHERE id = '" + id + "' AND state = 'held'";
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            assertThat(Db.number(c, held)).isEqualTo(1); // the sweep looks …
            assertThat(Db.number(d, held)).isEqualTo(1); // … and so does the cancel
            for (Connection each : List.of(c, d)) {
                Db.run(
                        each,
                        "UPDATE shelf SET qty = qty + 3 WHERE item = 1;"
                                + " UPDATE tiebreak.reservation SET state = 'expired' WHERE id = '" + id + "'");
                each.commit();
            }
        }
        assertThat(left(1)).as("the broken variant").isEqualTo(13);
    }

    @Test
    void expire_atMost_oldestFirst() throws SQLException {
        for (int i = 0; i < 5; i++) {
            UUID id = held(carts, SHELF.key("shop", "north", "item", 1 + i), 1);
            over(id);
        }
        assertThat(((Reservations.Swept) outcome(c -> carts.expire(c, 3))).reservations())
                .isEqualTo(3);
        assertThat(((Reservations.Swept) outcome(c -> carts.expire(c, 3))).reservations())
                .isEqualTo(2);
        assertThat(db.number("SELECT sum(qty) FROM shelf")).isEqualTo(50);
    }

    @Test
    void purge_settledLongAgo_isDeletedAndTheRestIsNot() throws SQLException {
        UUID settled = held(carts, TEA, 1);
        UUID open = held(carts, TEA, 1);
        tx.run(c -> carts.confirm(c, settled).orRollback());
        assertThat(outcome(c -> carts.purge(c, Duration.ofDays(1), 100))).isEqualTo(0);
        assertThat(outcome(c -> carts.purge(c, Duration.ZERO, 100))).isEqualTo(1);
        assertThat(outcome(c -> carts.confirm(c, settled))).isInstanceOf(Reservations.Confirm.Absent.class);
        assertThat(outcome(c -> carts.confirm(c, open))).isInstanceOf(Reservations.Confirm.Confirmed.class);
    }

    @Test
    void hold_autocommit_refused() throws SQLException {
        try (Connection c = db.source().getConnection()) {
            assertThatThrownBy(() -> carts.hold(c, TEA, 1).orRollback()).isInstanceOf(IllegalStateException.class);
        }
        assertThat(left(1)).isEqualTo(10);
    }

    @Test
    void listening_settled_namesRaceAndOutcome() {
        List<RaceListener.Event> events = new ArrayList<>();
        Reservations heard = carts.named("carts").listening(events::add);
        UUID id = held(heard, TEA, 1);
        assertThat(outcome(c -> heard.hold(c, TEA, 99))).isEqualTo(new Reservations.Hold.SoldOut(9));
        tx.run(c -> heard.confirm(c, id).orRollback());
        assertThat(outcome(c -> heard.cancel(c, id))).isInstanceOf(Reservations.Cancel.Stale.class);
        assertThat(outcome(c -> heard.expire(c, 1))).isInstanceOf(Reservations.Swept.class);
        assertThat(events)
                .extracting(RaceListener.Event::outcome)
                .containsExactly("Held", "SoldOut", "Confirmed", "Stale", "Swept");
        assertThat(events).allSatisfy(e -> {
            assertThat(e.race()).isEqualTo("carts");
            assertThat(e.strategy()).isEqualTo("reservation");
            assertThat(e.attempts()).isEqualTo(1);
        });
    }

    /** The lock of each key's name comes before its row, in the sweep as in a cart. */
    @Test
    void sweepsBesideCarts_advisoryStrategy_doNotDeadlock() throws Exception {
        db.run("UPDATE shelf SET qty = 1000");
        Stock stock = Stock.of(SHELF, "qty").advisory();
        Reservations named = Reservations.of(stock);
        Key cake = SHELF.key("shop", "north", "item", 2);
        Map<Key, Long> cart = Map.of(TEA, 1L, cake, 1L);
        List<Integer> done = Db.together(6, () -> {
            Tx mine = Tx.on(db.kept());
            for (int i = 0; i < 30; i++) {
                mine.run(c -> named.hold(c, TEA, 1, Instant.EPOCH).orRollback());
                mine.run(c -> named.hold(c, cake, 1, Instant.EPOCH).orRollback());
                boolean taken = mine.call(c -> stock.takeAll(c, cart)) instanceof Stock.TakeAll.TakenAll;
                Reservations.Swept swept = mine.call(c -> named.expire(c, 4));
                assertThat(swept.reservations()).isBetween(0, 4);
                if (taken) {
                    mine.run(c -> stock.giveBack(c, TEA, 1).orRollback());
                    mine.run(c -> stock.giveBack(c, cake, 1).orRollback());
                }
            }
            return 1;
        });
        assertThat(done).hasSize(6);
        tx.run(c -> assertThat(named.expire(c, 1000).reservations()).isNotNegative());
        assertThat(left(1) + left(2)).isEqualTo(2000);
    }

    @Test
    void confirmCancelAndSweep_underLoadWithRollbacks_everyUnitIsSoldOnceOrBackOnce() throws Exception {
        ConcurrentLinkedQueue<UUID> open = new ConcurrentLinkedQueue<>();
        List<Integer> sold = Db.together(8, () -> {
            Tx mine = Tx.on(db.kept()).retrying(Retry.adaptive());
            ThreadLocalRandom random = ThreadLocalRandom.current();
            int confirmed = 0;
            for (int i = 0; i < 60; i++) {
                boolean rollBack = random.nextInt(4) == 0;
                Key key = SHELF.key("shop", "north", "item", 1 + random.nextInt(2));
                UUID id = open.peek();
                int act = random.nextInt(4);
                try {
                    Object answer = mine.call(c -> {
                        Object a =
                                switch (act) {
                                    case 0 ->
                                        carts.lasting(Duration.ofMillis(1 + random.nextInt(20)))
                                                .hold(c, key, 1);
                                    case 1 -> carts.expire(c, 5);
                                    case 2 -> id == null ? "nothing open" : carts.cancel(c, id);
                                    default -> id == null ? "nothing open" : carts.confirm(c, id);
                                };
                        if (rollBack) {
                            throw new IllegalStateException("changed my mind");
                        }
                        return a;
                    });
                    if (answer instanceof Reservations.Hold.Held held) {
                        open.add(held.id());
                    } else if (answer instanceof Reservations.Confirm.Confirmed) {
                        confirmed++;
                    } else if (answer instanceof Reservations.Confirm.Stale
                            || answer instanceof Reservations.Cancel.Stale) {
                        boolean unused = open.remove(id);
                    }
                } catch (IllegalStateException expected) {
                    assertThat(expected).hasMessage("changed my mind");
                }
            }
            return confirmed;
        });
        long held = db.number("SELECT coalesce(sum(n), 0) FROM tiebreak.reservation WHERE state = 'held'");
        assertThat(db.number("SELECT sum(qty) FROM shelf")
                        + held
                        + sold.stream().mapToInt(n -> n).sum())
                .isEqualTo(50);
        assertThat(db.number("SELECT count(*) FROM shelf WHERE qty < 0")).isZero();
    }
}
