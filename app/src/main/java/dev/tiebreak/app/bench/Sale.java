package dev.tiebreak.app.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.tiebreak.app.Database;
import dev.tiebreak.app.Scratch;
import dev.tiebreak.app.bench.Seller.Answer;
import dev.tiebreak.app.bench.Seller.Said;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One sale: so many buyers want one unit each of an item that has fewer, all at the same moment.
 *
 * @param buyers how many ask at once
 * @param units how many units there are
 * @param attempts how often a strategy that retries may try for one buyer
 * @param connections size of the pool they share
 */
public record Sale(int buyers, int units, int attempts, int connections) {
    private static final long ITEM = 1;
    private static final long WARM_UP_ITEM = 2;
    private static final Duration AT_MOST = Duration.ofMinutes(2);

    /**
     * What came of one strategy's sale.
     *
     * @param strategy the strategy
     * @param sold buyers who were told that a unit is theirs
     * @param left units left on the shelf afterwards
     * @param soldOut buyers who were told that nothing is left
     * @param busy buyers who were told to try later
     * @param errors buyers who got an exception, or no answer within two minutes
     * @param maxAttempts the most attempts for one buyer
     * @param worstMillis the longest wait for an answer, in ms
     * @param exact whether every unit was sold once and every other buyer was told so
     * @param firstError the first exception, if there was one
     */
    public record Outcome(
            Strategy strategy,
            int sold,
            long left,
            int soldOut,
            int busy,
            int errors,
            int maxAttempts,
            double worstMillis,
            boolean exact,
            Optional<String> firstError) {}

    /** Holds the sale with one strategy. */
    public Outcome hold(Database database, Scratch scratch, Strategy strategy) throws SQLException {
        Shelf shelf = Shelf.of(scratch, strategy);
        try (HikariDataSource pool = database.pool(scratch.schema(), connections);
                Seller seller = Sellers.open(strategy, pool, shelf, attempts)) {
            warmUp(shelf, seller);
            shelf.restock(ITEM, units);
            return judge(strategy, sellToAll(seller), shelf.left());
        }
    }

    /** So that no buyer waits for a class to load or a connection to prepare its statements. */
    private void warmUp(Shelf shelf, Seller seller) throws SQLException {
        shelf.restock(WARM_UP_ITEM, 10L * connections);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 8 * connections; i++) {
                threads.execute(() -> {
                    try {
                        seller.sell(WARM_UP_ITEM);
                    } catch (Exception e) {
                        // The sale itself will meet it too, and report it.
                    }
                });
            }
        }
    }

    private List<Told> sellToAll(Seller seller) {
        CountDownLatch ready = new CountDownLatch(buyers);
        CountDownLatch start = new CountDownLatch(1);
        List<Future<Told>> asked = new ArrayList<>();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            for (int i = 0; i < buyers; i++) {
                asked.add(threads.submit(() -> {
                    ready.countDown();
                    start.await();
                    long begin = System.nanoTime();
                    try {
                        Answer answer = seller.sell(ITEM);
                        return new Told(answer, null, System.nanoTime() - begin);
                    } catch (Exception e) {
                        return new Told(null, e, System.nanoTime() - begin);
                    }
                }));
            }
            ready.await();
            start.countDown();
            long deadline = System.nanoTime() + AT_MOST.toNanos();
            List<Told> told = new ArrayList<>();
            for (Future<Told> answer : asked) {
                told.add(answerOf(answer, deadline));
            }
            return told;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted during the sale", e);
        } finally {
            threads.shutdownNow();
        }
    }

    private static Told answerOf(Future<Told> answer, long deadline) throws InterruptedException {
        try {
            return answer.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            return new Told(null, e, 0);
        } catch (TimeoutException e) {
            return new Told(
                    null,
                    new TimeoutException("no answer within " + AT_MOST.toMinutes() + " minutes"),
                    AT_MOST.toNanos());
        }
    }

    private Outcome judge(Strategy strategy, List<Told> told, long left) {
        int sold = count(told, Said.TAKEN);
        int soldOut = count(told, Said.SOLD_OUT);
        int busy = count(told, Said.BUSY);
        int errors = told.size() - sold - soldOut - busy;
        int sellable = Math.min(buyers, units);
        return new Outcome(
                strategy,
                sold,
                left,
                soldOut,
                busy,
                errors,
                told.stream()
                        .mapToInt(t -> t.answer == null ? 0 : t.answer.attempts())
                        .max()
                        .orElse(0),
                told.stream().mapToLong(Told::nanos).max().orElse(0) / 1e6,
                sold == sellable && left == units - sellable && busy == 0 && errors == 0,
                told.stream()
                        .filter(t -> t.error != null)
                        .map(t -> String.valueOf(t.error))
                        .findFirst());
    }

    private static int count(List<Told> told, Said said) {
        return (int) told.stream()
                .filter(t -> t.answer != null && t.answer.said() == said)
                .count();
    }

    private record Told(@Nullable Answer answer, @Nullable Exception error, long nanos) {}
}
