package dev.tiebreak.app.bench;

import dev.tiebreak.Key;
import dev.tiebreak.Retry;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.TxException;
import dev.tiebreak.app.bench.Seller.Answer;
import dev.tiebreak.app.bench.Seller.Said;
import dev.tiebreak.stock.BatchingWriter;
import dev.tiebreak.stock.Stock;
import javax.sql.DataSource;

/** The strategies through the library, as an application would call them: one transaction a take. */
final class Sellers {
    private static final Answer TAKEN = new Answer(Said.TAKEN, 1);
    private static final Answer SOLD_OUT = new Answer(Said.SOLD_OUT, 1);

    private Sellers() {}

    /** A strategy at work; those that retry try at most so often for one buyer. */
    static Seller open(Strategy strategy, DataSource source, Shelf shelf, int attempts) {
        Stock stock = Stock.of(shelf.table(), "qty");
        return switch (strategy) {
            case CONDITIONAL -> new Taking(source, stock);
            case CONSTRAINT -> new Taking(source, stock.constraint(Shelf.CHECK));
            case PESSIMISTIC -> new Taking(source, stock.pessimistic());
            case OPTIMISTIC -> new Taking(source, stock.optimistic("version", attempts));
            case SERIALIZABLE -> new Rerunning(source, stock.serializable(), attempts);
            case ADVISORY -> new Taking(source, stock.advisory());
            case SPLIT -> new Taking(source, stock.split("shard", Shelf.SHARDS));
            case BATCHING -> new Queueing(source, stock);
            case UNITS -> new Skipping(source, shelf, attempts);
            case NAIVE -> new Naive(source, shelf);
        };
    }
}
