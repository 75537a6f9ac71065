package dev.tiebreak.app.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.tiebreak.app.Database;
import dev.tiebreak.app.Scratch;
import dev.tiebreak.embedded.Server;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PgbenchTest {
    private final Database database = Database.at(Server.shared(18).newDatabase(), Map.of());

    @Test
    void script_conditional_beginRidesWithTheUpdateAndTheItemIsRandom() throws Exception {
        String script = script(Strategy.CONDITIONAL);

        assertThat(script).startsWith("\\set item random(1, 1000)\n\\startpipeline\nBEGIN;\n");
        assertThat(script).endsWith("\\endpipeline\nCOMMIT;\n");
        assertThat(script)
                .contains("UPDATE \"tiebreak_run_", "\"item_id\" = :item")
                .doesNotContain("?");
    }

    @Test
    void script_constraint_savepointTravelsWithTheUpdate() throws Exception {
        assertThat(script(Strategy.CONSTRAINT))
                .containsSubsequence(
                        "\\startpipeline\nBEGIN;\nSAVEPOINT ",
                        "UPDATE ",
                        "RELEASE SAVEPOINT ",
                        "\\endpipeline\nCOMMIT;\n");
    }

    @Test
    void script_serializable_levelIsSetInARoundTripOfItsOwn() throws Exception {
        assertThat(script(Strategy.SERIALIZABLE))
                .containsSubsequence(
                        "BEGIN;\nSET TRANSACTION ISOLATION LEVEL SERIALIZABLE;\n\\endpipeline\n",
                        "UPDATE ",
                        "COMMIT;\n");
    }

    @Test
    void script_advisory_lockDependsOnTheItem() throws Exception {
        assertThat(script(Strategy.ADVISORY)).contains("pg_advisory_xact_lock(:item)");
    }

    private String script(Strategy strategy) throws Exception {
        try (Scratch scratch = Scratch.in(database);
                HikariDataSource pool = database.pool(scratch.schema(), 1)) {
            return Pgbench.script(strategy, pool, Shelf.of(scratch, strategy), 1000);
        }
    }
}
