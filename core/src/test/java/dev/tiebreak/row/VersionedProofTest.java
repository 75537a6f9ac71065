package dev.tiebreak.row;

import dev.tiebreak.Key;
import dev.tiebreak.Table;
import dev.tiebreak.testing.Db;
import dev.tiebreak.testing.Proving;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class VersionedProofTest extends Proving {
    private static final Table DOCUMENT = Table.of("document").keyedBy("id");
    private static final Key KEY = DOCUMENT.key("id", 1);
    private static final String RESET = "TRUNCATE document; INSERT INTO document VALUES (1, 'draft', 4)";

    private final Versioned documents = Versioned.of(DOCUMENT, "version");

    VersionedProofTest(int major) throws SQLException {
        super(major, "CREATE TABLE document (id int PRIMARY KEY, title text, version int NOT NULL)");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void save_allSawTheSameVersion_everyOrder_oneIsSaved(int sessions) {
        race(
                        sessions,
                        RESET,
                        (source, who) -> outcome(source, c -> documents.save(c, KEY, 4, Map.of("title", "by " + who))))
                .invariant("one save", "SELECT version = 5 FROM document")
                .someoneWaits()
                .explore()
                .assertProved();
    }

    @Test
    void delete_besideASave_everyOrder_oneIsDone() {
        race(
                        2,
                        RESET,
                        (source, who) -> who == 1
                                ? outcome(source, c -> documents.delete(c, KEY, 4))
                                : outcome(source, c -> documents.save(c, KEY, 4, Map.of())))
                .explore()
                .assertProved();
    }

    @Test
    void checkThenUnconditionalUpdate_isCaught() {
        assertCaught(race(2, RESET, (source, who) -> {
            try (Connection c = source.getConnection()) {
                c.setAutoCommit(false);
                boolean fresh = Db.number(c, "SELECT version FROM document WHERE id = 1") == 4;
                if (fresh) {
                    Db.run(c, "UPDATE document SET version = version + 1, title = 'by " + who + "' WHERE id = 1");
                }
                c.commit();
                return fresh;
            }
        }));
    }
}
