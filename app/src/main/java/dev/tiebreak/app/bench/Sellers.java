package dev.tiebreak.app.bench;

import dev.tiebreak.Key;
import dev.tiebreak.Retry;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.TxException;
import dev.tiebreak.app.bench.Seller.Answer;
import dev.tiebreak.app.bench.Seller.Said;
import dev.tiebreak.row.FreeRows;
import dev.tiebreak.stock.BatchingWriter;
import dev.tiebreak.stock.Stock;
import javax.sql.DataSource;

/** The strategies through the library, as an application would call them: a transaction a take. */
final class Sellers {
    private Sellers() {}

    /** A strategy at work; those that retry try at most so often for one buyer. */
    static Seller open(Strategy strategy, DataSource source, Shelf shelf, int attempts) {
        Table table = shelf.table();
        Stock stock = Stock.of(table, "qty");
        return switch (strategy) {
            case CONDITIONAL -> new Taking(Tx.on(source), stock, table);
            case CONSTRAINT -> new Taking(Tx.on(source), stock.constraint(Shelf.CHECK), table);
            case PESSIMISTIC -> new Taking(Tx.on(source), stock.pessimistic(), table);
            case OPTIMISTIC -> new Taking(Tx.on(source), stock.optimistic("version", attempts), table);
            case SERIALIZABLE ->
                new Rerunning(
                        Tx.on(source).serializable().retrying(Retry.adaptive().attempts(attempts)),
                        stock.serializable(),
                        table);
            case ADVISORY -> new Taking(Tx.on(source), stock.advisory(), table);
            case SPLIT -> new Taking(Tx.on(source), stock.split("shard", Shelf.SHARDS), table);
            case BATCHING -> new Queueing(BatchingWriter.open(source, stock), table);
            case UNITS ->
                new Claiming(
                        Tx.on(source),
                        FreeRows.of(table)
                                .orderBy("unit_id")
                                .set("status", "taken")
                                .attempts(attempts));
            case NAIVE -> new Naive(source, shelf);
            case PLAIN -> new Plain(source, shelf);
        };
    }

    private static Answer answer(BatchingWriter.Answer said, int attempts) {
        return switch (said) {
            case Stock.Take.Taken taken -> new Answer(Said.TAKEN, attempts);
            case Stock.Take.SoldOut no -> new Answer(Said.SOLD_OUT, attempts);
            case Stock.Take.Busy busy -> new Answer(Said.BUSY, Math.max(busy.attempts(), attempts));
            case Stock.Take.Absent absent -> throw new IllegalStateException("no row " + absent.key());
            case BatchingWriter.Unknown unknown -> throw new IllegalStateException("outcome unknown: " + unknown);
        };
    }

    /** The winner's and the loser's attempts are told by the listener; the stock object is a cheap copy. */
    private record Taking(Tx tx, Stock stock, Table table) implements Seller {
        @Override
        public Answer sell(long item) {
            int[] attempts = {1};
            Stock counted = stock.listening(event -> attempts[0] = event.attempts());
            Key key = table.key("item_id", item);
            return answer(tx.call(c -> counted.take(c, key, 1)), attempts[0]);
        }

        @Override
        public void close() {}
    }

    /** SERIALIZABLE: the transaction's owner runs it again. */
    private record Rerunning(Tx tx, Stock stock, Table table) implements Seller {
        @Override
        public Answer sell(long item) {
            int[] attempts = {0};
            Key key = table.key("item_id", item);
            try {
                return answer(
                        tx.call(c -> {
                            attempts[0]++;
                            return stock.take(c, key, 1);
                        }),
                        attempts[0]);
            } catch (TxException.Conflict spent) {
                return new Answer(Said.BUSY, spent.attempts());
            }
        }

        @Override
        public void close() {}
    }

    /** One writer for all callers. */
    private record Queueing(BatchingWriter writer, Table table) implements Seller {
        @Override
        public Answer sell(long item) throws Exception {
            return answer(writer.take(table.key("item_id", item), 1), 1);
        }

        @Override
        public void close() {
            writer.close();
        }
    }

    /** One row a unit. */
    private record Claiming(Tx tx, FreeRows<Key> free) implements Seller {
        private static final String FREE = "item_id = ? AND status = 'free'";

        @Override
        public Answer sell(long item) {
            int[] attempts = {1};
            FreeRows<Key> units = free.where(FREE, item).listening(event -> attempts[0] = event.attempts());
            return new Answer(
                    switch (tx.call(units::claim)) {
                        case FreeRows.Claim.Claimed<Key> claimed -> Said.TAKEN;
                        case FreeRows.Claim.NoneFree<Key> none -> Said.SOLD_OUT;
                        case FreeRows.Claim.Busy<Key> busy -> Said.BUSY;
                    },
                    attempts[0]);
        }

        @Override
        public void close() {}
    }
}
