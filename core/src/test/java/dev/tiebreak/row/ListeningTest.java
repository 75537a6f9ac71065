package dev.tiebreak.row;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.Key;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.lock.AdvisoryLock;
import dev.tiebreak.testing.Db;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What each type tells its listener: the race's name, how it was settled, the outcome; one event a call, no keys. */
class ListeningTest {
    private final Db db = Db.on(18);
    private final List<RaceListener.Event> heard = new ArrayList<>();
    private Object last = "";

    @BeforeEach
    void tables() throws SQLException {
        db.run("""
                CREATE TABLE claim (id int PRIMARY KEY, owner bigint NOT NULL, version bigint NOT NULL);
                CREATE TABLE document (id int PRIMARY KEY, title text, version bigint NOT NULL);
                CREATE TABLE account (id int PRIMARY KEY, cents bigint NOT NULL);
                INSERT INTO document VALUES (1, 'draft', 1);
                INSERT INTO account VALUES (1, 10), (2, 0)""");
    }

    private static Key key(String table, int id) {
        return Table.of(table).keyedBy("id").key("id", id);
    }

    /** A call in a transaction of its own. */
    private void call(Tx.Body<?, RuntimeException> body) {
        last = Tx.on(db.source()).call(body);
    }

    private void assertHeard(String race, String strategy, String... outcomes) {
        assertThat(heard).extracting(RaceListener.Event::outcome).containsExactly(outcomes);
        assertThat(last.getClass().getSimpleName()).isEqualTo(heard.getLast().outcome());
        assertThat(heard).allSatisfy(event -> {
            assertThat(event.race()).isEqualTo(race);
            assertThat(event.strategy()).isEqualTo(strategy);
            assertThat(event.attempts()).isEqualTo(1);
            assertThat(event.waited()).isPositive();
        });
    }

    @AfterEach
    void listenerThatFails_changesNoOutcome() throws SQLException {
        try (Connection c = db.source().getConnection()) {
            assertThat(Versioned.of(Table.of("document").keyedBy("id"), "version")
                            .listening(event -> {
                                throw new IllegalStateException("the metric is broken");
                            })
                            .save(c, key("document", 99), 1, Map.of()))
                    .isEqualTo(new Versioned.Save.Absent(key("document", 99)));
        }
    }

    @Test
    void claims() {
        Claims<Long> board = Claims.of(Table.of("claim").keyedBy("id"), "owner", Long.class, "version")
                .named("board")
                .listening(heard::add);
        call(c -> board.claim(c, key("claim", 1), 7L));
        call(c -> board.claim(c, key("claim", 1), 8L));
        assertHeard("board", "unique key", "Claimed", "OwnedBy");
        heard.clear();
        call(c -> board.reassign(c, key("claim", 1), 1, 8L));
        call(c -> board.release(c, key("claim", 2), 1));
        assertHeard("board", "version", "Stale", "Absent");
    }

    @Test
    void versions() {
        Versioned documents = Versioned.of(Table.of("document").keyedBy("id"), "version")
                .named("documents")
                .listening(heard::add);
        call(c -> documents.save(c, key("document", 1), 1, Map.of("title", "final")));
        call(c -> documents.save(c, key("document", 1), 1, Map.of("title", "late")));
        call(c -> documents.save(c, key("document", 1), IfMatch.header(null), Map.of()));
        call(c -> documents.delete(c, key("document", 1), 2));
        assertHeard("documents", "version", "Saved", "Stale", "Unconditional", "Deleted");
    }

    @Test
    void accounts() {
        Accounts accounts = Accounts.of(Table.of("account").keyedBy("id"), "cents")
                .named("transfers")
                .listening(heard::add);
        call(c -> accounts.move(c, key("account", 1), key("account", 2), 7));
        call(c -> accounts.move(c, key("account", 1), key("account", 2), 7));
        call(c -> accounts.move(c, key("account", 1), key("account", 3), 1));
        assertHeard("transfers", "row locks", "Moved", "Insufficient", "Absent");
    }

    @Test
    void rowLocks() throws SQLException {
        RowLocks locks = RowLocks.inOrder(Table.of("account").keyedBy("id"))
                .named("accounts")
                .nowait()
                .listening(heard::add);
        try (Connection other = db.begin()) {
            Db.run(other, "SELECT FROM account WHERE id = 2 FOR UPDATE");
            call(c -> locks.hold(c, key("account", 1)));
            call(c -> locks.hold(c, key("account", 9)));
            call(c -> locks.hold(c, key("account", 2)));
        }
        assertHeard("accounts", "row locks", "Held", "Absent", "Busy");
    }

    @Test
    void advisoryLock() throws SQLException {
        AdvisoryLock rooms = AdvisoryLock.of("rooms").named("booking").listening(heard::add);
        try (Connection other = db.begin()) {
            AdvisoryLock.of("rooms").hold(other, "7").orRollback();
            call(c -> rooms.hold(c, "8"));
            call(c -> rooms.tryHold(c, "7"));
            call(c -> rooms.waiting(Duration.ofMillis(5)).hold(c, "7"));
        }
        assertHeard("booking", "advisory lock", "Held", "Busy", "Busy");
    }
}
