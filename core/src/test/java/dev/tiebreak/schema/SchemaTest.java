package dev.tiebreak.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.testing.Db;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {15, 18})
class SchemaTest {
    private static final List<String> ALL = Step.ALL.stream().map(Step::name).toList();

    private final Db db;

    SchemaTest(int major) {
        this.db = Db.on(major);
    }

    @Test
    void install_emptyDatabase_validAfterwards() {
        Schema schema = Schema.standard();
        assertThat(schema.validate(db.source()))
                .isEqualTo(new Schema.Check.Invalid(List.of("there are no tables in schema \"tiebreak\"")));
        assertThat(schema.install(db.source())).isEqualTo(ALL);
        assertThat(schema.install(db.source())).isEmpty();
        assertThat(schema.validate(db.source())).isEqualTo(new Schema.Check.Valid());
    }

    @Test
    void install_severalProcessesAtOnce_oneDoesItAndTheOthersFindItDone() throws Exception {
        List<List<String>> taken = Db.together(8, () -> Schema.standard().install(db.source()));
        assertThat(taken).filteredOn(steps -> steps.equals(ALL)).hasSize(1);
        assertThat(taken).filteredOn(List::isEmpty).hasSize(7);
    }

    @Test
    void sql_givenToAMigrationTool_isWhatInstallDoes() throws SQLException {
        Schema schema = Schema.named("Races \"of\" ours");
        db.run(schema.sql());
        db.run(schema.sql());
        assertThat(schema.validate(db.source())).isEqualTo(new Schema.Check.Valid());
        assertThat(schema.install(db.source())).isEmpty();
    }

    @Test
    void sql_afterTheLastStep_isEmpty() {
        assertThat(Schema.standard().sql(Step.ALL.size())).isEmpty();
        assertThat(Schema.standard().sql(0)).isEqualTo(Schema.standard().sql());
        assertThatThrownBy(() -> Schema.standard().sql(Step.ALL.size() + 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void validate_columnChangedOrMissing_namesIt() throws SQLException {
        Schema schema = Schema.standard();
        List<String> unused = schema.install(db.source());
        db.run("ALTER TABLE tiebreak.lease ALTER token TYPE integer; ALTER TABLE tiebreak.lease DROP until");
        assertThat(schema.validate(db.source()))
                .isEqualTo(new Schema.Check.Invalid(List.of(
                        "column tiebreak.lease.token is integer and should be bigint",
                        "column tiebreak.lease.until is missing; it should be timestamp with time zone")));
    }

    @Test
    void install_newerLibraryWasHere_staysValid() throws SQLException {
        Schema schema = Schema.standard();
        List<String> unused = schema.install(db.source());
        db.run("INSERT INTO tiebreak.step (step, name) VALUES (999, 'from the future')");
        assertThat(schema.install(db.source())).isEmpty();
        assertThat(schema.validate(db.source())).isEqualTo(new Schema.Check.Valid());
    }

    @Test
    void install_stepMissing_isUpgraded() throws SQLException {
        Schema schema = Schema.standard();
        List<String> unused = schema.install(db.source());
        int last = Step.ALL.size();
        db.run("DELETE FROM tiebreak.step WHERE step = " + last);
        assertThat(schema.validate(db.source()))
                .isEqualTo(new Schema.Check.Invalid(
                        List.of("step " + last + " (" + ALL.getLast() + ") is not recorded in \"tiebreak\".step")));
        assertThat(schema.install(db.source())).containsExactly(ALL.getLast());
    }

    @Test
    void install_overTheSchemaOfAnEarlierVersion_addsWhatCameSinceAndKeepsTheRows() throws SQLException {
        db.run("""
                CREATE SCHEMA tiebreak;
                CREATE TABLE tiebreak.step (step integer PRIMARY KEY, name text NOT NULL,
                    installed_at timestamptz NOT NULL DEFAULT clock_timestamp());
                CREATE TABLE tiebreak.lease (name text PRIMARY KEY, token bigint NOT NULL, holder text NOT NULL,
                    until timestamptz NOT NULL) WITH (fillfactor = 50);
                INSERT INTO tiebreak.step (step, name) VALUES (1, 'leases');
                INSERT INTO tiebreak.lease VALUES ('report', 7, 'ana', clock_timestamp())""");
        Schema schema = Schema.standard();
        assertThat(schema.validate(db.source()))
                .isInstanceOfSatisfying(Schema.Check.Invalid.class, invalid -> assertThat(invalid.problems())
                        .contains(
                                "step 3 (inbox) is not recorded in \"tiebreak\".step",
                                "column tiebreak.inbox.id is missing; it should be text"));

        String migration = schema.sql(1); // what Flyway is given after the first step
        assertThat(migration).doesNotContain("lease (").contains("inbox (");
        assertThat(schema.install(db.source())).isEqualTo(ALL.subList(1, ALL.size()));
        assertThat(schema.validate(db.source())).isEqualTo(new Schema.Check.Valid());
        assertThat(db.number("SELECT token FROM tiebreak.lease")).isEqualTo(7);
        db.run(migration); // and once more
        assertThat(schema.validate(db.source())).isEqualTo(new Schema.Check.Valid());
    }

    @Test
    void columns_ofAllSteps_areWhatIsInstalled() throws SQLException {
        List<String> unused = Schema.standard().install(db.source());
        List<String> declared = new ArrayList<>();
        for (Step step : Step.ALL) {
            for (Map.Entry<String, String> column : step.columns().entrySet()) {
                declared.add(column.getKey());
            }
        }
        assertThat(db.number("SELECT count(*) FROM information_schema.columns WHERE table_schema = 'tiebreak'"
                        + " AND table_name <> 'step'"))
                .as("columns that validate looks at: " + declared)
                .isEqualTo(declared.size());
    }
}
