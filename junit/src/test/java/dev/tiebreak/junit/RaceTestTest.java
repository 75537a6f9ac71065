package dev.tiebreak.junit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

class RaceTestTest {
    private static TestExecutionSummary run(Class<?> type) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(type))
                                .build(),
                        listener);
        return listener.getSummary();
    }

    @Test
    void raceTest_violatedAndProvedRace_failsWithThePictureAndPasses() {
        TestExecutionSummary summary = run(ShopRaces.class);

        assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
        assertThat(summary.getFailures()).singleElement().satisfies(failure -> {
            assertThat(failure.getTestIdentifier().getDisplayName()).startsWith("naive");
            assertThat(failure.getException())
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll(
                            "VIOLATED", "tea sale", "ana", "ben", "SELECT qty FROM stock", "→ 1", "why");
        });
    }

    @Test
    void raceTest_withoutADataSource_saysWhatIsMissing() {
        TestExecutionSummary summary = run(NoSource.class);

        assertThat(summary.getFailures()).singleElement().satisfies(failure -> assertThat(failure.getException())
                .hasMessageContaining("has 0 fields with a javax.sql.DataSource"));
    }

    static final class NoSource {
        @RaceTest
        void race(dev.tiebreak.prove.Proof race) {
            race.session("ana", ds -> null);
        }
    }
}
