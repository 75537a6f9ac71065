package dev.tiebreak.stock;

import dev.tiebreak.Key;
import dev.tiebreak.stock.Stock.Take;
import javax.sql.DataSource;

/** Sells through a batching writer; half of the requests do not block. */
final class GateShop extends Shop {
    private final Stock stock;
    private final BatchingWriter gate;

    GateShop(DataSource pool, BatchingWriter.Options options) {
        super(pool, "BATCHING", 1);
        run("ALTER TABLE " + table.sql() + " DROP CONSTRAINT \"BATCHING_pkey\", ADD PRIMARY KEY (org, \"Item Id\")");
        stock = Stock.of(table, "select").named("batching");
        gate = BatchingWriter.open(pool, stock, options);
    }

    @Override
    Take sell(Key key, long n, boolean rollback) throws Exception {
        BatchingWriter.Answer answer =
                n == 2 ? gate.takeAsync(key, n).toCompletableFuture().get() : gate.take(key, n);
        if (!(answer instanceof Take take)) {
            throw new AssertionError(answer);
        }
        if (rollback && take instanceof Take.Taken) {
            giveBack(key, n);
        }
        return take;
    }

    @Override
    void giveBack(Key key, long n) throws Exception {
        try (var c = pool.getConnection()) {
            if (!(stock.giveBack(c, key, n) instanceof Stock.GiveBack.GivenBack)) {
                throw new AssertionError("nothing to give back to");
            }
        }
    }

    @Override
    public void close() {
        gate.close();
    }
}
