package dev.tiebreak.stock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.Key;
import dev.tiebreak.stock.Stock.Take;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** What every way to sell must keep under load: exactly as many units as there are, never more, never fewer. */
final class Contract {
    private final Shop shop;
    private final int callers;
    private final int most;
    private final AtomicLong balance = new AtomicLong();

    /**
     * Sells up to {@code most} units at once.
     */
    Contract(Shop shop, int callers, int most) {
        this.shop = shop;
        this.callers = callers;
        this.most = most;
    }

    /** Two keys; takes, rollbacks, give-backs and foreign writers mixed; then everything that is left is sold. */
    void sellsExactly(long units, int acts) throws Exception {
        Key tea = shop.key(1);
        Key cake = shop.key(2);
        shop.stock(1, units);
        shop.stock(2, units);
        balance.set(2 * units);
        together(() -> {
            for (int i = 0; i < acts; i++) {
                act(ThreadLocalRandom.current().nextInt(4) == 0 ? cake : tea);
            }
        });
        assertThat(shop.left(tea) + shop.left(cake))
                .as("units after the mixed acts")
                .isEqualTo(balance.get());
        AtomicLong number = new AtomicLong();
        together(() -> {
            boolean foreign = number.incrementAndGet() % 4 == 0;
            for (Key key : List.of(tea, cake)) {
                while (foreign && shop.foreignTake(key)) {
                    balance.decrementAndGet();
                }
                sellOut(key);
            }
        });
        assertThat(shop.left(tea) + shop.left(cake))
                .as("units when everybody heard 'sold out'")
                .isZero();
        assertThat(balance.get()).as("units sold more than there were").isZero();
    }

    private void act(Key key) throws Exception {
        int dice = ThreadLocalRandom.current().nextInt(10);
        if (dice == 0) {
            if (shop.foreignTake(key)) {
                balance.decrementAndGet();
            }
        } else if (dice == 1) {
            shop.foreignGive(key);
            balance.incrementAndGet();
        } else if (dice == 2) {
            shop.giveBack(key, 1);
            balance.incrementAndGet();
        } else {
            assertThat(take(key, 1 + ThreadLocalRandom.current().nextInt(most), dice == 3))
                    .isNotNull();
        }
    }

    private void sellOut(Key key) throws Exception {
        int busy = 0;
        while (true) {
            Take outcome = take(key, 1, false);
            if (outcome instanceof Take.SoldOut) {
                return;
            }
            busy = outcome instanceof Take.Busy ? busy + 1 : 0;
            assertThat(busy).as("answers 'busy' in a row").isLessThan(1000);
        }
    }

    private Take take(Key key, long n, boolean rollback) throws Exception {
        Take outcome = shop.sell(key, n, rollback);
        switch (outcome) {
            case Take.Taken won -> {
                assertThat(won.left()).isNotNegative();
                if (!rollback) {
                    balance.addAndGet(-n);
                }
            }
            case Take.SoldOut no ->
                assertThat(no.left()).as("left when " + n + " were refused").isLessThan(n);
            case Take.Busy busy -> assertThat(busy.attempts()).isNotNegative();
            case Take.Absent no -> throw new AssertionError(no);
        }
        return outcome;
    }

    private void together(Act act) throws Exception {
        CyclicBarrier start = new CyclicBarrier(callers);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                Callable<Void> caller = () -> {
                    start.await();
                    act.run();
                    return null;
                };
                all.add(threads.submit(caller));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
    }

    private interface Act {
        void run() throws Exception;
    }
}
