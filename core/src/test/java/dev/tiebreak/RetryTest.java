package dev.tiebreak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.hibernate.exception.LockAcquisitionException;
import org.jooq.exception.DataAccessException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.TransactionSystemException;

/** Which exceptions a {@link Retry} takes for a lost race, however they are wrapped. */
class RetryTest {
    private static SQLException conflict() {
        return new SQLException("could not serialize access", "40001");
    }

    private static SQLException deadlock() {
        return new SQLException("deadlock detected", "40P01");
    }

    private final AtomicInteger runs = new AtomicInteger();

    private static SQLException chained(SQLException first, SQLException next) {
        first.setNextException(next);
        return first;
    }

    private static <T extends Throwable> T because(T failure, Throwable cause) {
        failure.initCause(cause);
        return failure;
    }

    private static SQLException echoBehindClose() {
        SQLException echo = new SQLException("current transaction is aborted", "25P02");
        echo.addSuppressed(deadlock());
        return echo;
    }

    static Stream<Exception> conflicts() {
        return Stream.of(
                conflict(),
                deadlock(),
                new CannotAcquireLockException("Spring's", conflict()),
                new TransactionSystemException("Spring's at commit", conflict()),
                new DataAccessException("jOOQ's", deadlock()),
                new LockAcquisitionException("Hibernate's", conflict()),
                new IllegalStateException(new IOException(new IllegalArgumentException(conflict()))),
                new BatchUpdateException("batch", "40001", new int[0]),
                chained(new BatchUpdateException("batch", "23000", new int[0]), conflict()),
                because(new SQLException("current transaction is aborted", "25P02"), conflict()),
                echoBehindClose(),
                new TxException.Conflict("40001", conflict()));
    }

    @ParameterizedTest
    @MethodSource("conflicts")
    void run_conflictHoweverWrapped_isRunAgain(Exception failure) throws Exception {
        Retry.adaptive().run(() -> {
            if (runs.incrementAndGet() == 1) {
                throw failure;
            }
        });

        assertThat(runs).hasValue(2);
    }

    private static Exception withSuppressed(Exception failure, Exception suppressed) {
        failure.addSuppressed(suppressed);
        return failure;
    }

    private static Exception cyclic() {
        Exception a = new IllegalStateException("a");
        Exception b = new IllegalStateException("b", a);
        return because(a, b);
    }

    static Stream<Exception> others() {
        return Stream.of(
                new IllegalStateException("own"),
                new SQLException("unique violation", "23505"),
                new SQLException("lock not available", "55P03"),
                new SQLException("connection lost", "08006"),
                new SQLException("no state"),
                new SQLException("40001"),
                new TxException.OutcomeUnknown("08006", chained(new SQLException("lost", "08006"), conflict())),
                new IllegalStateException(new TxException.OutcomeUnknown("08006", conflict())),
                withSuppressed(new IllegalStateException("own, with a by-product"), conflict()),
                cyclic());
    }

    @ParameterizedTest
    @MethodSource("others")
    void run_anythingElse_comesOutAsItWasThrown(Exception failure) {
        assertThatThrownBy(() -> Retry.adaptive().run(() -> {
                    runs.incrementAndGet();
                    throw failure;
                }))
                .isSameAs(failure);

        assertThat(runs).hasValue(1);
    }

    @Test
    void call_spent_throwsConflictWithTheLastFailureAsCause() {
        TxException.Conflict spent = catchThrowableOfType(
                TxException.Conflict.class, () -> Retry.adaptive().run(() -> {
                    throw new CannotAcquireLockException("attempt " + runs.incrementAndGet(), conflict());
                }));

        assertThat(spent.attempts()).isEqualTo(4);
        assertThat(spent.sqlState()).isEqualTo("40001");
        assertThat(spent).cause().isInstanceOf(CannotAcquireLockException.class).hasMessage("attempt 4");
        assertThat(spent.getSuppressed())
                .extracting(Throwable::getMessage)
                .containsExactly("attempt 1", "attempt 2", "attempt 3");
    }

    @Test
    void call_sameExceptionEveryTime_isNotAttachedToItself() {
        SQLException same = conflict();
        assertThatThrownBy(() -> Retry.adaptive().run(() -> {
                    throw same;
                }))
                .isInstanceOf(TxException.Conflict.class)
                .hasCause(same)
                .hasNoSuppressedExceptions();
    }

    @Test
    void call_checkedException_comesOutTyped() {
        IOException own = new IOException("own");

        IOException caught = catchThrowableOfType(IOException.class, () -> failing(own));

        assertThat(caught).isSameAs(own);
    }

    /** Compiles only because the work's exception is the only checked one. */
    private static int failing(IOException own) throws IOException {
        return Retry.adaptive().call(() -> {
            throw own;
        });
    }

    @Test
    void call_oneAttempt_isNoRetry() {
        assertThatThrownBy(() -> Retry.adaptive().attempts(1).run(() -> {
                    runs.incrementAndGet();
                    throw conflict();
                }))
                .isInstanceOf(TxException.Conflict.class);

        assertThat(runs).hasValue(1);
    }

    @Test
    void call_error_isNotRunAgain() {
        assertThatThrownBy(() -> Retry.adaptive().run(() -> {
                    runs.incrementAndGet();
                    throw new AssertionError(conflict());
                }))
                .isInstanceOf(AssertionError.class);

        assertThat(runs).hasValue(1);
    }

    @Test
    void call_waitLongerThanWhatIsLeft_givesUpAtOnce() {
        long start = System.nanoTime();

        assertThatThrownBy(() -> Retry.adaptive().within(Duration.ofMillis(1)).run(() -> {
                    runs.incrementAndGet();
                    throw conflict();
                }))
                .isInstanceOf(TxException.Conflict.class);

        assertThat(runs).hasValue(1);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void settings_outOfRange_nameTheValueAndTheLimit() {
        assertThatThrownBy(() -> Retry.adaptive().attempts(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("attempts must be at least 1, but were 0");
        assertThatThrownBy(() -> Retry.adaptive().within(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT0S");
    }
}
