package dev.tiebreak.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that begin together and do one thing again and again, for a warm-up and the time that is measured. */
record Crowd(int threads) {
    /** One turn of a thread. */
    interface Work {
        void turn(int thread) throws Exception;
    }

    /**
     * What it did.
     *
     * @param turns all, those of the warm-up as well
     * @param perSecond of those that began in the time that is measured
     */
    record Done(long turns, double perSecond) {}

    /** Keeps the work up; the first exception of a thread is thrown. */
    Done keepUp(Duration warmUp, Duration measured, Work work) throws Exception {
        CountDownLatch begin = new CountDownLatch(threads);
        List<Future<long[]>> running = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int t = 0; t < threads; t++) {
                int thread = t;
                running.add(executor.submit(() -> {
                    begin.countDown();
                    begin.await();
                    long start = System.nanoTime() + warmUp.toNanos();
                    long end = start + measured.toNanos();
                    long all = 0;
                    long counted = 0;
                    for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
                        work.turn(thread);
                        all++;
                        counted += now >= start ? 1 : 0;
                    }
                    return new long[] {all, counted};
                }));
            }
            long all = 0;
            long counted = 0;
            for (Future<long[]> thread : running) {
                all += thread.get()[0];
                counted += thread.get()[1];
            }
            return new Done(all, counted * 1e9 / measured.toNanos());
        }
    }

    /** A pool that is full from the start, of so many connections a thread. */
    HikariDataSource pool(String url, int each) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(each * threads);
        config.setMinimumIdle(each * threads);
        return new HikariDataSource(config);
    }
}
