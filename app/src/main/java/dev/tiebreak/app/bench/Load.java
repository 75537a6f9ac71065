package dev.tiebreak.app.bench;

import dev.tiebreak.app.bench.Seller.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A load kept up for a while: every client asks for one unit of a random item, waits for the answer, and asks again.
 *
 * <p>What is asked before the lead-in ends is counted for the proof and left out of the rate and the latencies.
 */
final class Load {
    private static final int MOST_THREADS = 64;
    private static final int STRIPES = 16;
    /** The longest latency that is told apart. */
    static final long SLOWEST_MICROS = TimeUnit.MINUTES.toMicros(10);

    private final Seller seller;
    private final long items;
    private final ConcurrentHistogram[] micros = new ConcurrentHistogram[STRIPES];
    private final LongAdder taken = new LongAdder();
    private final LongAdder retries = new LongAdder();
    private final LongAdder allTaken = new LongAdder();
    private final LongAdder soldOut = new LongAdder();
    private final LongAdder busy = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final AtomicInteger maxAttempts = new AtomicInteger();
    private final AtomicReference<@Nullable Exception> firstError = new AtomicReference<>();
    private volatile long from = Long.MAX_VALUE;
    private volatile long to = Long.MAX_VALUE;
    private volatile boolean over;

    private Load(Seller seller, long items) {
        this.seller = seller;
        this.items = items;
        for (int i = 0; i < STRIPES; i++) {
            micros[i] = new ConcurrentHistogram(SLOWEST_MICROS, 3);
        }
    }

    /**
     * What a load amounted to.
     *
     * @param seconds how long was measured
     * @param taken units taken in that time
     * @param retries attempts beyond the first in that time
     * @param allTaken units taken from the first to the last answer: what must be missing on the shelf
     * @param soldOut answers that nothing was left, from first to last
     * @param busy answers to try later, from first to last
     * @param errors exceptions, from first to last
     * @param maxAttempts the most attempts for one answer
     * @param micros latencies of the units taken in that time, in µs
     * @param firstError the first exception, if there was one
     */
    record Tally(
            double seconds,
            long taken,
            long retries,
            long allTaken,
            long soldOut,
            long busy,
            long errors,
            int maxAttempts,
            Histogram micros,
            Optional<String> firstError) {
        /** Nothing was asked. */
        static final Tally NONE = new Tally(1, 0, 0, 0, 0, 0, 0, 0, new Histogram(SLOWEST_MICROS, 1), Optional.empty());

        double perSecond() {
            return taken / seconds;
        }
    }

    /** Keeps the load up for the lead-in and the time to measure, and waits for the last answers. */
    static Tally keepUp(Seller seller, int clients, long items, Duration leadIn, Duration measured)
            throws InterruptedException {
        return new Load(seller, items).run(clients, leadIn, measured);
    }

    private Tally run(int clients, Duration leadIn, Duration measured) throws InterruptedException {
        ThreadFactory factory = clients > MOST_THREADS
                ? Thread.ofVirtual().factory()
                : Thread.ofPlatform().daemon().name("client-", 0).factory();
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            ConcurrentHistogram mine = micros[i % STRIPES];
            Thread thread = factory.newThread(() -> {
                try {
                    start.await();
                    ask(mine);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            thread.start();
            threads.add(thread);
        }
        long begin = System.nanoTime();
        from = begin + leadIn.toNanos();
        to = from + measured.toNanos();
        start.countDown();
        TimeUnit.NANOSECONDS.sleep(to - System.nanoTime());
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
        return tally(measured);
    }

    private void ask(ConcurrentHistogram latencies) {
        while (!over) {
            long item = items == 1 ? 1 : ThreadLocalRandom.current().nextLong(1, items + 1);
            long asked = System.nanoTime();
            try {
                Answer answer = seller.sell(item);
                count(answer, asked, System.nanoTime(), latencies);
            } catch (Exception e) {
                errors.increment();
                firstError.compareAndSet(null, e);
            }
        }
    }

    private void count(Answer answer, long asked, long answered, ConcurrentHistogram latencies) {
        boolean measured = answered >= from && answered < to;
        if (measured && answer.attempts() > 1) {
            retries.add(answer.attempts() - 1);
            if (answer.attempts() > maxAttempts.get()) {
                maxAttempts.accumulateAndGet(answer.attempts(), Math::max);
            }
        }
        switch (answer.said()) {
            case TAKEN -> {
                allTaken.increment();
                if (measured) {
                    taken.increment();
                    latencies.recordValue(Math.min(SLOWEST_MICROS, (answered - asked) / 1000));
                }
            }
            case SOLD_OUT -> soldOut.increment();
            case BUSY -> busy.increment();
        }
    }

    private Tally tally(Duration measured) {
        Histogram all = new Histogram(SLOWEST_MICROS, 3);
        for (ConcurrentHistogram stripe : micros) {
            all.add(stripe);
        }
        return new Tally(
                measured.toNanos() / 1e9,
                taken.sum(),
                retries.sum(),
                allTaken.sum(),
                soldOut.sum(),
                busy.sum(),
                errors.sum(),
                taken.sum() > 0 ? Math.max(1, maxAttempts.get()) : maxAttempts.get(),
                all,
                Optional.ofNullable(firstError.get()).map(String::valueOf));
    }
}
