package dev.tiebreak.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.TxException;
import dev.tiebreak.testing.Between;
import dev.tiebreak.testing.Db;
import dev.tiebreak.testing.Guide;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class VersionedTest {
    private static final Table DOCUMENT = Table.of("document").keyedBy("id");

    private final Db db;
    private final Tx tx;
    private final Versioned documents = Versioned.of(DOCUMENT, "version");
    private final Key key = DOCUMENT.key("id", 7);

    VersionedTest(int major) {
        this.db = Db.on(major);
        this.tx = Tx.on(db.source());
    }

    @BeforeEach
    void tables() throws SQLException {
        db.run("""
                CREATE TABLE document (id bigint PRIMARY KEY, title text, body jsonb, edits int NOT NULL DEFAULT 0,
                    version int NOT NULL);
                INSERT INTO document VALUES (7, 'old', '{}', 0, 3)""");
    }

    private Object outcome(Tx.Body<?, RuntimeException> body) {
        return tx.call(body);
    }

    private Object ifMatch(@Nullable String header) {
        return outcome(c -> documents.save(c, key, IfMatch.header(header), Map.of("title", "new")));
    }

    @Test
    void save_versionAsSeen_savedAndRaised() throws SQLException {
        Map<String, @Nullable Object> changes = new HashMap<>();
        changes.put("title", null);
        changes.put("body", "{\"a\": 1}");
        assertThat(outcome(c -> documents.save(c, key, 3, changes))).isEqualTo(new Versioned.Save.Saved(4));
        assertThat(db.number("SELECT count(*) FROM document WHERE title IS NULL AND body->>'a' = '1' AND version = 4"))
                .isEqualTo(1);
    }

    @Test
    void save_versionPassed_staleAndNothingWritten() throws SQLException {
        assertThat(outcome(c -> documents.save(c, key, 2, Map.of("title", "x"))))
                .isEqualTo(new Versioned.Save.Stale(3));
        assertThat(db.number("SELECT count(*) FROM document WHERE title = 'old' AND version = 3"))
                .isEqualTo(1);
    }

    @Test
    void save_noSuchRow_absentAndNotStale() {
        Key missing = DOCUMENT.key("id", 8);
        assertThat(outcome(c -> documents.save(c, missing, 3, Map.of("title", "x"))))
                .isEqualTo(new Versioned.Save.Absent(missing));
    }

    @Test
    void save_nothingToChange_raisesTheVersion() {
        assertThat(outcome(c -> documents.save(c, key, 3, Map.of()))).isEqualTo(new Versioned.Save.Saved(4));
    }

    @Test
    void save_versionAmongTheChanges_refused() {
        assertThatThrownBy(() -> outcome(c -> documents.save(c, key, 3, Map.of("version", 9))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void orRollback_stale_earlierWritesAreGone() throws SQLException {
        assertThatThrownBy(() -> tx.run(c -> {
                    Db.run(c, "UPDATE document SET edits = 1");
                    documents.save(c, key, 2, Map.of("title", "x")).orRollback();
                }))
                .isInstanceOf(Lost.class);
        assertThat(db.number("SELECT edits FROM document")).isZero();
    }

    @Test
    void ifMatch_headers_answerAsHttpWants() {
        assertThat(ifMatch(null)).isEqualTo(new Versioned.SaveIfMatch.Unconditional()); // 428
        assertThat(ifMatch("W/\"3\"")).as("a weak tag never matches").isEqualTo(new Versioned.Save.Stale(3)); // 412
        assertThat(ifMatch("3")).as("not a tag").isEqualTo(new Versioned.Save.Stale(3));
        assertThat(ifMatch("\"xyz\"")).as("a tag of somebody else").isEqualTo(new Versioned.Save.Stale(3));
        assertThat(ifMatch("")).isEqualTo(new Versioned.Save.Stale(3));
        assertThat(ifMatch("\"03\"")).as("another text is another tag").isEqualTo(new Versioned.Save.Stale(3));
        assertThat(ifMatch("\"99999999999999999999\"")).isEqualTo(new Versioned.Save.Stale(3));
        assertThat(ifMatch("\"1\", W/\"3\" , \"3\"")).isEqualTo(new Versioned.Save.Saved(4)); // 200
        assertThat(ifMatch(" * ")).isEqualTo(new Versioned.Save.Saved(5));
        assertThat(new Versioned.Save.Saved(5).etag()).isEqualTo("\"5\"");
        assertThat(ifMatch(IfMatch.etag(5))).isEqualTo(new Versioned.Save.Saved(6));
        Key missing = DOCUMENT.key("id", 8);
        assertThat(outcome(c -> documents.save(c, missing, IfMatch.header("*"), Map.of("title", "x"))))
                .isEqualTo(new Versioned.Save.Absent(missing)); // 404
    }

    @Test
    void delete_byVersion_onlyTheOneSeen() {
        assertThat(outcome(c -> documents.delete(c, key, 2))).isEqualTo(new Versioned.Delete.Stale(3));
        assertThat(outcome(c -> documents.delete(c, key, IfMatch.header(null))))
                .isEqualTo(new Versioned.Delete.Unconditional());
        assertThat(outcome(c -> documents.delete(c, key, 3))).isEqualTo(new Versioned.Delete.Deleted(3));
        assertThat(outcome(c -> documents.delete(c, key, 3))).isEqualTo(new Versioned.Delete.Absent(key));
    }

    @Test
    void save_anotherCommitsWhileItWaits_stale() throws Exception {
        try (Connection c = db.begin()) {
            documents.save(c, key, 3, Map.of("title", "first")).orRollback();
            Future<Versioned.Save> second =
                    Db.beside(() -> tx.call(d -> documents.save(d, key, 3, Map.of("title", "second"))));
            db.awaitBlockedBy(c);
            c.commit();
            assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(new Versioned.Save.Stale(4));
        }
        assertThat(db.number("SELECT count(*) FROM document WHERE title = 'first'"))
                .isEqualTo(1);
    }

    @Test
    void checkThenUnconditionalUpdate_twoAtOnce_firstSaveIsLost() throws Exception {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            assertThat(Db.number(c, "SELECT version FROM document")).isEqualTo(3); // If-Match: "3" holds …
            assertThat(Db.number(d, "SELECT version FROM document")).isEqualTo(3); // … and here too
            Db.run(c, "UPDATE document SET title = 'first', version = version + 1 WHERE id = 7");
            c.commit();
            Db.run(d, "UPDATE document SET title = 'second', version = version + 1 WHERE id = 7");
            d.commit();
        }
        assertThat(db.number("SELECT count(*) FROM document WHERE title = 'second'"))
                .as("the broken variant: nobody was told")
                .isEqualTo(1);
    }

    @Test
    void save_rowAppearsBetweenUpdateAndRead_triedAgain() throws SQLException {
        Key late = DOCUMENT.key("id", 8);
        try (Connection c = db.source().getConnection()) {
            Connection watched = Between.before(c, "SELECT", () -> {
                db.run("INSERT INTO document VALUES (8, 'late', '{}', 0, 1) ON CONFLICT DO NOTHING");
                return null;
            });
            assertThat((Object) documents.save(watched, late, 1, Map.of("title", "x")))
                    .isEqualTo(new Versioned.Save.Saved(2));
        }
    }

    @Test
    void save_waitIsOver_busyAndTheTransactionGoesOn() throws SQLException {
        try (Connection c = db.begin();
                Connection d = db.begin()) {
            documents.save(c, key, 3, Map.of("title", "first")).orRollback();
            assertThat((Object) documents.waiting(Duration.ofMillis(20)).save(d, key, 3, Map.of("title", "second")))
                    .isInstanceOf(Versioned.Save.Busy.class);
            Db.run(d, "INSERT INTO document VALUES (8, 'other', '{}', 0, 1)");
            d.commit();
        }
        assertThat(db.number("SELECT count(*) FROM document WHERE id = 8")).isEqualTo(1);
    }

    @Test
    void save_snapshotOlderThanTheWinner_serializationFailure() {
        assertThatThrownBy(() -> tx.repeatableRead().run(c -> {
                    long seen = Db.number(c, "SELECT version FROM document");
                    Db.beside(() -> tx.call(d -> documents.save(d, key, seen, Map.of("title", "first"))))
                            .get(10, TimeUnit.SECONDS);
                    documents.save(c, key, seen, Map.of("title", "second")).orRollback();
                }))
                .isInstanceOf(TxException.Conflict.class);
    }

    @Test
    void save_underLoadWithRollbacks_noEditIsLost() throws Exception {
        AtomicInteger saved = new AtomicInteger();
        List<Integer> stale = Db.together(8, () -> {
            Tx mine = Tx.on(db.kept());
            int lost = 0;
            for (int i = 0; i < 50; i++) {
                boolean rollBack = ThreadLocalRandom.current().nextInt(4) == 0;
                try {
                    Versioned.Save answer = mine.call(c -> {
                        long seen = Db.number(c, "SELECT version FROM document WHERE id = 7");
                        long edits = Db.number(c, "SELECT edits FROM document WHERE id = 7");
                        Versioned.Save a = documents.save(c, key, seen, Map.of("edits", edits + 1));
                        if (rollBack) {
                            throw new IllegalStateException("changed my mind");
                        }
                        return a;
                    });
                    if (answer instanceof Versioned.Save.Saved) {
                        saved.incrementAndGet();
                    } else {
                        lost++;
                    }
                } catch (IllegalStateException expected) {
                    assertThat(expected).hasMessage("changed my mind");
                }
            }
            return lost;
        });
        assertThat(stale).anyMatch(n -> n > 0);
        assertThat(db.number("SELECT edits FROM document")).isEqualTo(saved.get());
        assertThat(db.number("SELECT version FROM document")).isEqualTo(3 + saved.get());
    }

    @Test
    void rowCountIgnored_couponUsedOnceAndGrantedTwice_andSaveGrantsOnce() throws Exception {
        db.run("CREATE TABLE coupon (id int PRIMARY KEY, used boolean NOT NULL, version int NOT NULL);"
                + " CREATE TABLE granted (coupon int); INSERT INTO coupon VALUES (1, false, 1)");
        for (int i = 0; i < 2; i++) {
            tx.run(c -> {
                Db.run(c, "UPDATE coupon SET used = true WHERE id = 1 AND NOT used"); // 1 row, then 0: nobody looks
                Db.run(c, "INSERT INTO granted VALUES (1)");
            });
        }
        assertThat(db.number("SELECT count(*) FROM granted"))
                .as("the broken variant")
                .isEqualTo(2);

        db.run("TRUNCATE granted; UPDATE coupon SET used = false");
        Table coupon = Table.of("coupon").keyedBy("id");
        Versioned coupons = Versioned.of(coupon, "version");
        List<Boolean> won = Db.together(4, () -> {
            try {
                tx.run(c -> {
                    Db.run(c, "INSERT INTO granted VALUES (1)");
                    coupons.save(c, coupon.key("id", 1), 1, Map.of("used", true))
                            .orRollback();
                });
                return true;
            } catch (Lost e) {
                return false;
            }
        });
        assertThat(won).containsOnlyOnce(true);
        assertThat(db.number("SELECT count(*) FROM granted")).isEqualTo(1);
    }

    @Test
    void updateThatLeavesTheVersionAlone_staleSaveWins_andWithTheTriggerOfTheGuideItIsStale() throws Exception {
        db.run("UPDATE document SET title = 'nightly'");
        assertThat(outcome(c -> documents.save(c, key, 3, Map.of("title", "mine"))))
                .as("the broken variant")
                .isEqualTo(new Versioned.Save.Saved(4));

        db.run(Guide.block("versions.md", "trigger"));
        db.run("UPDATE document SET title = 'nightly'");
        assertThat(outcome(c -> documents.save(c, key, 4, Map.of("title", "mine"))))
                .isEqualTo(new Versioned.Save.Stale(5));
        assertThat(outcome(c -> documents.save(c, key, 5, Map.of("title", "mine"))))
                .as("raised once and not twice")
                .isEqualTo(new Versioned.Save.Saved(6));
    }
}
