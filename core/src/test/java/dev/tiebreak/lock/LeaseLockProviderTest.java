package dev.tiebreak.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.schema.Schema;
import dev.tiebreak.testing.Db;
import dev.tiebreak.testing.Guide;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import org.junit.jupiter.api.Test;

/** The guide's provider for ShedLock, used as ShedLock uses it. */
class LeaseLockProviderTest {
    private final Db db = Db.on(18);

    private static LockConfiguration job(Duration atLeast) {
        return new LockConfiguration(Instant.EPOCH, "nightly", Duration.ofMinutes(5), atLeast);
    }

    @Test
    void executeWithLock_jobRunsAlready_isSkipped() {
        List<String> unused = Schema.standard().install(db.source());
        DefaultLockingTaskExecutor one = new DefaultLockingTaskExecutor(new LeaseLockProvider(db.source()));
        DefaultLockingTaskExecutor two = new DefaultLockingTaskExecutor(new LeaseLockProvider(db.source()));
        AtomicInteger runs = new AtomicInteger();

        one.executeWithLock(
                (Runnable) () -> {
                    runs.incrementAndGet();
                    // On another thread, as on another server: ShedLock lets its own thread in again.
                    CompletableFuture.runAsync(
                                    () -> two.executeWithLock((Runnable) runs::incrementAndGet, job(Duration.ZERO)))
                            .join();
                },
                job(Duration.ZERO));
        assertThat(runs).as("not while it runs").hasValue(1);

        two.executeWithLock((Runnable) runs::incrementAndGet, job(Duration.ofMinutes(1)));
        assertThat(runs).as("but afterwards").hasValue(2);

        one.executeWithLock((Runnable) runs::incrementAndGet, job(Duration.ZERO));
        assertThat(runs).as("lockAtLeastFor").hasValue(2);
    }

    @Test
    void guide_showsThisProvider() throws IOException {
        String source = Files.readString(Path.of("src/test/java/dev/tiebreak/lock/LeaseLockProvider.java"));
        assertThat(Guide.block("migrate-from-shedlock.md", "provider"))
                .isEqualToIgnoringWhitespace(source.substring(source.indexOf("/** ShedLock's")));
    }
}
