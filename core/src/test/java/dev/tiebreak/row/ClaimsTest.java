package dev.tiebreak.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.TxException;
import dev.tiebreak.testing.Between;
import dev.tiebreak.testing.Db;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class ClaimsTest {
    private static final Table CLAIM = Table.of("Board", "assignment claim").keyedBy("org_id", "assignment_id");
    private static final long RAVI = 1;
    private static final long SITA = 2;

    private final Db db;
    private final Tx tx;
    private final Claims<Long> board = Claims.of(CLAIM, "employee_id", Long.class, "version");
    private final Key job = CLAIM.key("assignment_id", 7, "org_id", 4);

    ClaimsTest(int major) {
        this.db = Db.on(major);
        this.tx = Tx.on(db.source());
    }

    private Object outcome(Tx.Body<?, RuntimeException> body) {
        return tx.call(body);
    }

    @BeforeEach
    void tables() throws SQLException {
        db.run("""
                CREATE SCHEMA "Board";
                CREATE TABLE "Board"."assignment claim" (
                    org_id bigint, assignment_id bigint, employee_id integer NOT NULL, version bigint NOT NULL,
                    claimed_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (org_id, assignment_id));
                CREATE TABLE note (text text)""");
    }

    @Test
    void claim_nobodyOwnsIt_claimed() {
        Claims.Claim.Claimed<Long> won = tx.call(c -> board.claim(c, job, RAVI).orRollback());

        assertThat(outcome(c -> board.holder(c, job))).isEqualTo(new Claims.Claim.OwnedBy<>(RAVI, won.version()));
    }

    @Test
    void claim_somebodyOwnsIt_learnsWhoAndGoesOn() throws SQLException {
        long version = tx.call(c -> board.claim(c, job, RAVI).orRollback()).version();

        Claims.Claim<Long> answer = tx.call(c -> {
            Claims.Claim<Long> lost = board.claim(c, job, SITA);
            Db.run(c, "INSERT INTO note VALUES ('sita asked')");
            return lost;
        });

        assertThat(answer).isEqualTo(new Claims.Claim.OwnedBy<>(RAVI, version));
        assertThat(db.number("SELECT count(*) FROM note")).isEqualTo(1);
    }

    @Test
    void orRollback_loserWroteBefore_writesAreGone() throws SQLException {
        tx.run(c -> board.claim(c, job, RAVI).orRollback());

        assertThatThrownBy(() -> tx.run(c -> {
                    Db.run(c, "INSERT INTO note VALUES ('sita has it')");
                    board.claim(c, job, SITA).orRollback();
                }))
                .isInstanceOfSatisfying(
                        Lost.class, e -> assertThat(e.outcome()).isInstanceOf(Claims.Claim.OwnedBy.class));
        assertThat(db.number("SELECT count(*) FROM note")).isZero();
    }

    @Test
    void claim_winnerHasNotCommitted_loserWaitsAndLearnsTheWinner() throws Exception {
        try (Connection c = db.begin()) {
            long version = board.claim(c, job, RAVI).orRollback().version();
            Future<Claims.Claim<Long>> sita = Db.beside(() -> tx.call(d -> board.claim(d, job, SITA)));
            db.awaitBlockedBy(c);
            c.commit();
            assertThat(sita.get(10, TimeUnit.SECONDS)).isEqualTo(new Claims.Claim.OwnedBy<>(RAVI, version));
        }
    }

    @Test
    void claim_firstOneRollsBack_waiterHasIt() throws Exception {
        try (Connection c = db.begin()) {
            board.claim(c, job, RAVI).orRollback();
            Future<Claims.Claim<Long>> sita = Db.beside(() -> tx.call(d -> board.claim(d, job, SITA)));
            db.awaitBlockedBy(c);
            c.rollback();
            assertThat(sita.get(10, TimeUnit.SECONDS)).isInstanceOf(Claims.Claim.Claimed.class);
        }
    }

    @Test
    void insertAndReadInOneStatement_winnerCommitsMeanwhile_answersNoRowAtAll() throws Exception {
        String oneStatement = """
                WITH mine AS (INSERT INTO "Board"."assignment claim" VALUES (4, 7, ?, 1) ON CONFLICT DO NOTHING
                    RETURNING employee_id)
                SELECT employee_id FROM mine
                UNION ALL SELECT employee_id FROM "Board"."assignment claim" WHERE org_id = 4 AND assignment_id = 7""";
        try (Connection c = db.begin()) {
            board.claim(c, job, RAVI).orRollback();
            Future<Boolean> sita = Db.beside(() -> tx.call(d -> {
                try (PreparedStatement s = d.prepareStatement(oneStatement)) {
                    s.setLong(1, SITA);
                    try (ResultSet rows = s.executeQuery()) {
                        return rows.next();
                    }
                }
            }));
            db.awaitBlockedBy(c);
            c.commit();
            assertThat(sita.get(10, TimeUnit.SECONDS)).as("the broken variant").isFalse();
        }
    }

    @Test
    void claim_holderLetsGoBetweenInsertAndRead_claimedAtTheNextAttempt() throws SQLException {
        tx.run(c -> board.claim(c, job, RAVI).orRollback());
        List<RaceListener.Event> events = new ArrayList<>();

        try (Connection c = db.source().getConnection()) {
            Connection watched = Between.before(c, "SELECT", () -> {
                db.run("DELETE FROM \"Board\".\"assignment claim\"");
                return null;
            });
            assertThat(board.named("board").listening(events::add).claim(watched, job, SITA))
                    .isInstanceOf(Claims.Claim.Claimed.class);
        }
        assertThat(events).singleElement().satisfies(e -> {
            assertThat(e.race()).isEqualTo("board");
            assertThat(e.outcome()).isEqualTo("Claimed");
            assertThat(e.attempts()).isEqualTo(2);
        });
    }

    @Test
    void claim_holdersAlwaysLetGoInBetween_busyAfterTheAttempts() throws SQLException {
        try (Connection c = db.source().getConnection()) {
            Connection before = Between.before(c, "INSERT", () -> {
                db.run("INSERT INTO \"Board\".\"assignment claim\" VALUES (4, 7, 1, 1)");
                return null;
            });
            Connection both = Between.before(before, "SELECT", () -> {
                db.run("DELETE FROM \"Board\".\"assignment claim\"");
                return null;
            });
            assertThat(board.attempts(3).claim(both, job, SITA))
                    .isInstanceOfSatisfying(Claims.Claim.Busy.class, busy -> assertThat(busy.attempts())
                            .isEqualTo(3));
        }
    }

    @Test
    void claim_waitIsOver_busyAndTheTransactionGoesOn() throws SQLException {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            board.claim(c, job, RAVI).orRollback();
            Db.run(d, "SET LOCAL lock_timeout = '7s'; INSERT INTO note VALUES ('kept')");

            assertThat(board.waiting(Duration.ofMillis(30)).claim(d, job, SITA))
                    .isInstanceOfSatisfying(Claims.Claim.Busy.class, busy -> assertThat(busy.waited())
                            .isGreaterThanOrEqualTo(Duration.ofMillis(30)));
            assertThat(Db.number(d, "SELECT extract(epoch FROM current_setting('lock_timeout')::interval)"))
                    .as("the connection's own setting")
                    .isEqualTo(7);
            assertThat(board.waiting(Duration.ofSeconds(5)).claim(d, CLAIM.key("org_id", 4, "assignment_id", 8), SITA))
                    .isInstanceOf(Claims.Claim.Claimed.class);
            assertThat(Db.number(d, "SELECT extract(epoch FROM current_setting('lock_timeout')::interval)"))
                    .isEqualTo(7);
            d.commit();
        }
        assertThat(db.number("SELECT count(*) FROM note")).isEqualTo(1);
    }

    @Test
    void claim_waitingButTheConnectionIsStricter_theStricterHolds() throws SQLException {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            board.claim(c, job, RAVI).orRollback();
            Db.run(d, "SET LOCAL lock_timeout = '20ms'");
            assertThat(board.waiting(Duration.ofMinutes(5)).claim(d, job, SITA)).isInstanceOf(Claims.Claim.Busy.class);
        }
    }

    @Test
    void claim_snapshotOlderThanTheWinner_serializationFailure() throws SQLException {
        assertThatThrownBy(() -> tx.repeatableRead().run(c -> {
                    long before = Db.number(c, "SELECT count(*) FROM note");
                    assertThat(before).isZero();
                    Db.beside(() -> tx.call(d -> board.claim(d, job, RAVI))).get(10, TimeUnit.SECONDS);
                    board.claim(c, job, SITA).orRollback();
                }))
                .isInstanceOf(TxException.Conflict.class);
    }

    @Test
    void reassign_versionAsSeen_reassignedAndTheOldVersionIsStale() {
        long seen = tx.call(c -> board.claim(c, job, RAVI).orRollback()).version();

        long next =
                tx.call(c -> board.reassign(c, job, seen, SITA).orRollback()).version();

        assertThat(next).isGreaterThan(seen);
        assertThat(outcome(c -> board.reassign(c, job, seen, 3L)))
                .isEqualTo(new Claims.Reassign.Stale<>(new Claims.Claim.OwnedBy<>(SITA, next)));
        assertThat(outcome(c -> board.release(c, job, seen)))
                .isEqualTo(new Claims.Release.Stale<>(new Claims.Claim.OwnedBy<>(SITA, next)));
        assertThat(outcome(c -> board.release(c, job, next))).isEqualTo(new Claims.Release.Released<Long>(next));
        assertThat(outcome(c -> board.reassign(c, job, next, RAVI))).isEqualTo(new Claims.Reassign.Absent<Long>(job));
        assertThat(outcome(c -> board.release(c, job, next))).isEqualTo(new Claims.Release.Absent<Long>(job));
        assertThat(outcome(c -> board.holder(c, job))).isEqualTo(new Claims.Holder.Absent<Long>(job));
    }

    @Test
    void reassign_releasedAndClaimedAnewSince_stale() {
        long seen = tx.call(c -> board.claim(c, job, RAVI).orRollback()).version();
        tx.run(c -> board.release(c, job, seen).orRollback());
        tx.run(c -> board.claim(c, job, RAVI).orRollback());

        assertThat(outcome(c -> board.reassign(c, job, seen, SITA))).isInstanceOf(Claims.Reassign.Stale.class);
    }

    @Test
    void reassign_twoWithTheSameVersion_oneIsStale() throws Exception {
        long seen = tx.call(c -> board.claim(c, job, RAVI).orRollback()).version();
        List<Claims.Reassign<Long>> answers = Db.together(8, () -> tx.call(c -> board.reassign(c, job, seen, SITA)));

        assertThat(answers)
                .filteredOn(a -> a instanceof Claims.Reassign.Reassigned)
                .hasSize(1);
        assertThat(answers).filteredOn(a -> a instanceof Claims.Reassign.Stale).hasSize(7);
    }

    @Test
    void updateWithoutTheVersion_twoAtOnce_bothBelieveTheyWon() throws Exception {
        tx.run(c -> board.claim(c, job, RAVI).orRollback());
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            assertThat(board.holder(c, job)).isEqualTo(board.holder(d, job)); // both see Ravi …
            Db.run(c, "UPDATE \"Board\".\"assignment claim\" SET employee_id = 2");
            c.commit();
            Db.run(
                    d,
                    "UPDATE \"Board\".\"assignment claim\" SET employee_id = 3"); // … and neither is told of the other
            d.commit();
        }
        assertThat(db.number("SELECT employee_id FROM \"Board\".\"assignment claim\""))
                .isEqualTo(3);
    }

    @Test
    void claim_underLoadWithRollbacksAndReleases_eachThingHasOneOwnerAtATime() throws Exception {
        AtomicLong people = new AtomicLong();
        ConcurrentLinkedQueue<List<Long>> spans = new ConcurrentLinkedQueue<>();
        Claims<Long> patient = board.waiting(Duration.ofSeconds(10));
        Db.together(8, () -> {
            long me = people.incrementAndGet();
            Tx mine = Tx.on(db.kept());
            for (int i = 0; i < 60; i++) {
                Key thing = CLAIM.key(
                        "org_id",
                        1,
                        "assignment_id",
                        ThreadLocalRandom.current().nextInt(3));
                boolean rollBack = ThreadLocalRandom.current().nextInt(4) == 0;
                try {
                    Claims.Claim<Long> answer = mine.call(c -> {
                        Claims.Claim<Long> a = patient.claim(c, thing, me);
                        if (rollBack) {
                            throw new IllegalStateException("changed my mind");
                        }
                        return a;
                    });
                    if (answer instanceof Claims.Claim.Claimed<Long> won) {
                        long until = mine.call(c ->
                                        patient.release(c, thing, won.version()).orRollback())
                                .version();
                        spans.add(List.of((Long) thing.values().get(1), won.version(), until));
                    }
                } catch (IllegalStateException expected) {
                    assertThat(expected).hasMessage("changed my mind");
                }
            }
            return null;
        });
        Map<List<Long>, Integer> owners = new HashMap<>();
        spans.forEach(s -> owners.merge(s, 1, Integer::sum));
        assertThat(spans).isNotEmpty();
        assertThat(owners.values()).as("no version of a thing was won twice").containsOnly(1);
        assertThat(db.number("SELECT count(*) FROM \"Board\".\"assignment claim\""))
                .isZero();
    }

    @Test
    void claim_keyAndHolderOfOtherTypes_work() throws SQLException {
        db.run("CREATE TYPE hall AS ENUM ('north', 'south');"
                + " CREATE TABLE seat (hall hall, day date, no smallint, guest uuid NOT NULL, v bigint NOT NULL,"
                + " PRIMARY KEY (hall, day, no))");
        Table seats = Table.of("seat").keyedBy("hall", "day", "no");
        Claims<UUID> claims = Claims.of(seats, "guest", UUID.class, "v");
        Claims<String> texts = Claims.of(seats, "guest", String.class, "v");
        UUID ana = UUID.randomUUID();
        Key one = seats.key("hall", "north", "day", java.time.LocalDate.of(2026, 11, 30), "no", 1);
        Key two = seats.key("hall", "south", "day", "2026-11-30", "no", 1);

        assertThat(outcome(c -> claims.claim(c, one, ana))).isInstanceOf(Claims.Claim.Claimed.class);
        assertThat(outcome(c -> texts.claim(c, two, ana.toString()))).isInstanceOf(Claims.Claim.Claimed.class);
        assertThat(outcome(c -> claims.claim(c, two, UUID.randomUUID())))
                .isInstanceOfSatisfying(Claims.Claim.OwnedBy.class, other -> assertThat(other.holder())
                        .isEqualTo(ana));
    }

    @Test
    void claim_versionColumnTooSmall_refused() throws SQLException {
        db.run("CREATE TABLE thing (id int PRIMARY KEY, owner int NOT NULL, version int NOT NULL)");
        Table things = Table.of("thing").keyedBy("id");
        Claims<Integer> claims = Claims.of(things, "owner", Integer.class, "version");
        assertThatThrownBy(() ->
                        tx.run(c -> claims.claim(c, things.key("id", 1), 1).orRollback()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("bigint");
    }

    @Test
    void claim_noUniqueKey_refusedByTheDatabase() throws SQLException {
        db.run("CREATE TABLE thing (id int, owner int NOT NULL, version bigint NOT NULL)");
        Table things = Table.of("thing").keyedBy("id");
        Claims<Integer> claims = Claims.of(things, "owner", Integer.class, "version");
        assertThatThrownBy(() ->
                        tx.run(c -> claims.claim(c, things.key("id", 1), 1).orRollback()))
                .isInstanceOfSatisfying(
                        TxException.class, e -> assertThat(e.sqlState()).isEqualTo("42P10"));
    }

    @Test
    void claim_keyOfAnotherTable_refused() {
        Key other = Table.of("other").keyedBy("org_id", "assignment_id").key("org_id", 4, "assignment_id", 7);
        assertThatThrownBy(() -> tx.run(c -> board.claim(c, other, RAVI).orRollback()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("assignment claim");
    }

    @Test
    void claim_thenASlowCallThenItsResult_nobodyWaitsMeanwhile() throws SQLException {
        Claims<Long> impatient = board.waiting(Duration.ofMillis(20));
        try (Connection c = db.begin()) {
            board.claim(c, job, RAVI).orRollback();
            // The call to somebody else's API, inside of the transaction: everybody waits for it.
            assertThat(outcome(d -> impatient.claim(d, job, SITA))).isInstanceOf(Claims.Claim.Busy.class);
            c.commit();
        }
        // The call, after the claim is committed: everybody is answered at once.
        assertThat(outcome(d -> impatient.claim(d, job, SITA))).isInstanceOf(Claims.Claim.OwnedBy.class);
    }

    @Test
    void claim_serializableWriteSkew_found_andInsertOnConflictAloneLetsItThrough() throws SQLException {
        db.run("CREATE TABLE flag (id int PRIMARY KEY, owner bigint, version bigint)");
        assertThat(skew((c, id) -> Db.run(c, "INSERT INTO flag VALUES (" + id + ", 9, 9) ON CONFLICT DO NOTHING")))
                .as("the broken variant: both flags gone, in no serial order")
                .isZero();

        Table flags = Table.of("flag").keyedBy("id");
        Claims<Long> claims = Claims.of(flags, "owner", Long.class, "version");
        assertThat(skew((c, id) -> assertThat((Object) claims.claim(c, flags.key("id", id), 9L))
                        .isInstanceOf(Claims.Claim.OwnedBy.class)))
                .isEqualTo(1);
    }

    /** Two transactions: each makes sure that one flag stands, then takes down the other one. How many flags stand afterwards? */
    private long skew(Ensure ensure) throws SQLException {
        db.run("TRUNCATE flag; INSERT INTO flag VALUES (1, 1, 1), (2, 2, 2)");
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            d.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            ensure.stands(c, 1);
            ensure.stands(d, 2);
            Db.run(c, "DELETE FROM flag WHERE id = 2");
            c.commit();
            try {
                Db.run(d, "DELETE FROM flag WHERE id = 1");
                d.commit();
            } catch (SQLException e) {
                assertThat(e.getSQLState()).isEqualTo("40001");
            }
        }
        return db.number("SELECT count(*) FROM flag");
    }

    private interface Ensure {
        void stands(Connection c, int id) throws SQLException;
    }
}
