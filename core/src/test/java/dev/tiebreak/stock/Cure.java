package dev.tiebreak.stock;

import dev.tiebreak.Key;
import dev.tiebreak.Retry;
import dev.tiebreak.Tx;
import dev.tiebreak.stock.Stock.Take;
import javax.sql.DataSource;

/** Every strategy that joins the caller's transaction. */
enum Cure {
    CONDITIONAL,
    CONSTRAINT,
    PESSIMISTIC,
    OPTIMISTIC,
    SERIALIZABLE,
    ADVISORY,
    SPLIT;

    int shards() {
        return this == SPLIT ? 4 : 1;
    }

    Stock of(Stock stock) {
        return switch (this) {
            case CONDITIONAL -> stock;
            case CONSTRAINT -> stock.constraint("never negative");
            case PESSIMISTIC -> stock.pessimistic();
            case OPTIMISTIC -> stock.optimistic("version", 50);
            case SERIALIZABLE -> stock.serializable();
            case ADVISORY -> stock.advisory();
            case SPLIT -> stock.split("shard", shards());
        };
    }

    /** Only SERIALIZABLE may be told to run again; a deadlock of any other is a fault. */
    Tx tx(DataSource pool) {
        return this == SERIALIZABLE
                ? Tx.on(pool).serializable().retrying(Retry.adaptive().attempts(1000))
                : Tx.on(pool);
    }

    Shop shop(DataSource pool) {
        return new TxShop(this, pool);
    }

    private static final class TxShop extends Shop {
        private final Stock stock;
        private final Tx tx;

        TxShop(Cure cure, DataSource pool) {
            super(pool, cure.name(), cure.shards());
            stock = cure.of(Stock.of(table, "select").named(cure.name()));
            tx = cure.tx(pool);
            if (cure == CONSTRAINT) {
                run("ALTER TABLE " + table.sql() + " ADD CONSTRAINT \"never negative\" CHECK (\"select\" >= 0)");
            }
        }

        @Override
        Take sell(Key key, long n, boolean rollback) {
            try {
                return tx.call(c -> {
                    Take outcome = stock.take(c, key, n);
                    if (rollback) {
                        throw new ChangedMind(outcome);
                    }
                    return outcome;
                });
            } catch (ChangedMind e) {
                return e.outcome;
            }
        }

        @Override
        void giveBack(Key key, long n) {
            tx.run(c -> {
                var back = stock.giveBack(c, key, n).orRollback();
                if (back.left() < n) {
                    throw new AssertionError("gave " + n + " back and there are " + back.left());
                }
            });
        }
    }

    @SuppressWarnings("serial")
    private static final class ChangedMind extends RuntimeException {
        private final Take outcome;

        ChangedMind(Take outcome) {
            this.outcome = outcome;
        }
    }
}
