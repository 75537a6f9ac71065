package dev.tiebreak.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import dev.tiebreak.embedded.Server;
import dev.tiebreak.row.FreeRows.Claim;
import dev.tiebreak.row.FreeRows.GiveBack;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "PostgreSQL {0}")
@ValueSource(ints = {15, 18})
class FreeRowsTest {
    private static final Map<Integer, String> URLS = new ConcurrentHashMap<>();
    private static final Table CHALLENGE = Table.of("challenge").keyedBy("org", "Id");
    private static final FreeRows<Key> PENDING = FreeRows.of(CHALLENGE)
            .where("status = 'pending'")
            .orderBy("ends_at")
            .set("status", "judging")
            .backTo("status", "pending")
            .named("judging");

    private final DataSource source;

    FreeRowsTest(int pg) throws SQLException {
        source =
                Server.dataSource(URLS.computeIfAbsent(pg, v -> Server.shared(v).newDatabase()));
        run("""
            DROP SCHEMA public CASCADE;
            CREATE SCHEMA public;
            CREATE TYPE state AS ENUM ('pending', 'judging', 'done');
            CREATE TABLE challenge (
                org int, "Id" uuid, status state NOT NULL DEFAULT 'pending', ends_at int, judge text, PRIMARY KEY (org, "Id"))""");
    }

    private void run(String sql) throws SQLException {
        try (Connection c = source.getConnection()) {
            run(c, sql);
        }
    }

    private static void run(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    private long ask(String sql) throws SQLException {
        try (Connection c = source.getConnection();
                Statement s = c.createStatement();
                ResultSet rows = s.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private void challenges(int from, int to) throws SQLException {
        run("INSERT INTO challenge (org, \"Id\", ends_at) SELECT 1, lpad(i::text, 32, '0')::uuid, 1000 - i"
                + " FROM generate_series(" + from + ", " + to + ") i");
    }

    private static Key key(int i) {
        return CHALLENGE.key(
                "org", 1, "Id", java.util.UUID.fromString("00000000-0000-0000-0000-" + "%012d".formatted(i)));
    }

    private Connection open() throws SQLException {
        Connection c = source.getConnection();
        c.setAutoCommit(false);
        return c;
    }

    @Test
    void claim_takesTheFirstFreeRowsInTheirOrder() throws SQLException {
        challenges(1, 5);
        try (Connection c = open()) {
            assertThat(PENDING.claim(c).orRollback().row()).isEqualTo(key(5));
            assertThat(PENDING.claim(c, 3)).isEqualTo(new Claim.Claimed<>(List.of(key(4), key(3), key(2))));
            assertThat(PENDING.claim(c, 3)).isEqualTo(new Claim.Claimed<>(List.of(key(1))));
            assertThat(PENDING.claim(c, 3)).isEqualTo(new Claim.NoneFree<Key>());
            assertThatThrownBy(() -> PENDING.claim(c).orRollback()).isInstanceOf(Lost.class);
            c.commit();
        }
        assertThat(ask("SELECT count(*) FROM challenge WHERE status = 'judging'"))
                .isEqualTo(5);
    }

    @Test
    void claim_besideAnotherClaim_skipsItsRow() throws SQLException {
        challenges(1, 2);
        try (Connection ana = open();
                Connection ben = open()) {
            assertThat(PENDING.claim(ana).orRollback().row()).isEqualTo(key(2));
            assertThat(PENDING.claim(ben).orRollback().row()).isEqualTo(key(1));
            ana.rollback();
            assertThat(PENDING.claim(ben).orRollback().row()).isEqualTo(key(2));
            ben.commit();
        }
    }

    @Test
    void claim_whileOthersHoldEveryFreeRow_isBusy_andNoneFreeOnceTheyHaveCommitted() throws SQLException {
        challenges(1, 1);
        try (Connection ana = open();
                Connection ben = open()) {
            assertThat(PENDING.claim(ana)).isInstanceOf(Claim.Claimed.class);
            assertThat(PENDING.attempts(3).claim(ben)).isInstanceOfSatisfying(Claim.Busy.class, busy -> {
                assertThat(busy.attempts()).isEqualTo(3);
                assertThat(busy.waited()).isPositive();
            });
            ana.commit();
            assertThat(PENDING.claim(ben)).isEqualTo(new Claim.NoneFree<Key>());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off",
                "SET enable_nestloop = off; SET enable_hashjoin = off",
                "SET enable_nestloop = off; SET enable_mergejoin = off",
                "SET enable_indexscan = off; SET enable_bitmapscan = off"
            })
    void claim_underStaleStatisticsAndAnyPlan_takesNoMoreThanN(String planner) throws SQLException {
        challenges(1, 1);
        run("ANALYZE challenge");
        run("ALTER TABLE challenge SET (autovacuum_enabled = off)");
        challenges(2, 50);
        try (Connection c = open()) {
            run(c, planner);
            for (int i = 0; i < 10; i++) {
                assertThat(PENDING.claim(c, 5).orRollback().rows()).hasSize(5);
            }
            assertThat(PENDING.claim(c, 5)).isEqualTo(new Claim.NoneFree<Key>());
            c.commit();
        }
        assertThat(ask("SELECT count(*) FROM challenge WHERE status = 'judging'"))
                .isEqualTo(50);
    }

    @Test
    void where_withValues_bindsThem_andSetWritesThem() throws SQLException {
        challenges(1, 3);
        FreeRows<Key> rows = FreeRows.of(CHALLENGE)
                .where("status = ? AND ends_at < ? -- soon", "pending", 999)
                .set("status", "done")
                .set("judge", "x'); DROP TABLE challenge; --")
                .set("ends_at", null);
        try (Connection c = source.getConnection()) {
            assertThat(rows.claim(c, 10).orRollback().rows()).containsExactlyInAnyOrder(key(2), key(3));
        }
        assertThat(ask("SELECT count(*) FROM challenge WHERE judge LIKE 'x''); DROP%' AND ends_at IS NULL"))
                .isEqualTo(2);
    }

    @Test
    void giveBack_freesTheRowOnce_andNotSomebodyElses() throws SQLException {
        challenges(1, 1);
        FreeRows<Key> anas = PENDING.set("judge", "ana").backTo("judge", null);
        FreeRows<Key> bens = PENDING.set("judge", "ben").backTo("judge", null);
        try (Connection c = source.getConnection()) {
            assertThat(anas.claim(c)).isInstanceOf(Claim.Claimed.class);
            assertThat(bens.giveBack(c, key(1))).isEqualTo(new GiveBack.Absent(key(1)));
            assertThat(anas.giveBack(c, key(1))).isEqualTo(new GiveBack.GivenBack(key(1)));
            assertThat(anas.giveBack(c, key(1))).isEqualTo(new GiveBack.Absent(key(1)));
            assertThat(bens.claim(c)).isInstanceOf(Claim.Claimed.class);
            assertThat(anas.giveBack(c, key(1))).isEqualTo(new GiveBack.Absent(key(1)));
            assertThatThrownBy(() -> anas.giveBack(c, key(1)).orRollback()).isInstanceOf(Lost.class);
        }
    }

    @Test
    void claim_ofARowChangedSinceTheSnapshot_is40001() throws SQLException {
        challenges(1, 1);
        try (Connection c = source.getConnection()) {
            c.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            c.setAutoCommit(false);
            run(c, "SELECT 1 FROM challenge");
            run("UPDATE challenge SET judge = 'ben'");
            assertThatThrownBy(() -> PENDING.claim(c))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"));
        }
    }

    @Test
    void claim_whereTheKeyIsNotUnique_isAnError() throws SQLException {
        challenges(1, 3);
        FreeRows<Key> byOrg = FreeRows.of(Table.of("challenge").keyedBy("org"))
                .where("status = 'pending'")
                .set("status", "done");
        try (Connection c = open()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> byOrg.claim(c))
                    .withMessageContaining("not a unique key");
        }
    }

    @Test
    void misuse_isRefusedWithWhatToDo() throws SQLException {
        assertThatIllegalArgumentException().isThrownBy(() -> FreeRows.of(Table.of("challenge")));
        assertThatIllegalArgumentException().isThrownBy(() -> PENDING.attempts(0));
        try (Connection c = source.getConnection()) {
            assertThatIllegalArgumentException().isThrownBy(() -> PENDING.claim(c, 0));
            assertThatIllegalStateException()
                    .isThrownBy(() -> FreeRows.of(CHALLENGE).claim(c))
                    .withMessageContaining(".set(");
            assertThatIllegalStateException()
                    .isThrownBy(() -> FreeRows.of(CHALLENGE).giveBack(c, key(1)))
                    .withMessageContaining(".backTo(");
            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            PENDING.giveBack(c, Table.of("other").keyedBy("id").key("id", 1)));
        }
    }

    @Test
    void listening_hearsTheClaim() throws SQLException {
        challenges(1, 1);
        List<RaceListener.Event> heard = new ArrayList<>();
        try (Connection c = source.getConnection()) {
            assertThat(PENDING.listening(heard::add).claim(c)).isInstanceOf(Claim.Claimed.class);
        }
        assertThat(heard).singleElement().satisfies(event -> {
            assertThat(event.race()).isEqualTo("judging");
            assertThat(event.strategy()).isEqualTo("units");
            assertThat(event.outcome()).isEqualTo("Claimed");
            assertThat(event.attempts()).isEqualTo(1);
        });
    }
}
