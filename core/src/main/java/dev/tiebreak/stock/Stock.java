package dev.tiebreak.stock;

import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Table;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/**
 * A count that many take from at once: it is never oversold, and never sold out while units are left.
 *
 * <p>The race: two requests read "1 left", both decide that they may have it, both write. Every word below settles it in
 * another way; what differs is the price and what becomes of the loser. Without a word it is one conditional update, which
 * is right for nearly everything.
 *
 * <pre>{@code
 * static final Table STOCK = Table.of("shop", "stock").keyedBy("item_id");
 * final Stock tea = Stock.of(STOCK, "qty").named("tea sale");
 *
 * tx.run(c -> {
 *     tea.take(c, STOCK.key("item_id", 7), 1).orRollback();   // no unit, no order
 *     orders.insert(c, order);
 * });
 * }</pre>
 *
 * <p>It joins the caller's transaction and throws what the database throws ({@link SQLException}): 40001 and 40P01 mean
 * "run the whole transaction again", which only its owner can do. A take is undone when that transaction rolls back. Takes
 * of several keys in one transaction belong into {@link #takeAll}, whose order of locks cannot deadlock.
 *
 * <p>Where a method's text says "one round trip", that is the winner's price; BEGIN rides along and COMMIT is the caller's.
 * Immutable and thread-safe; holds no connection; every word returns a changed copy.
 *
 * @see BatchingWriter for one very hot key
 */
public final class Stock {
    private final Count count;
    private final Strategy strategy;
    private final String name;
    private final RaceListener listener;

    private Stock(Count count, Strategy strategy, String name, RaceListener listener) {
        this.count = count;
        this.strategy = strategy;
        this.name = name;
        this.listener = listener;
    }

    /**
     * The count in a column of a table of yours, of any whole-number type; the table says with {@link Table#keyedBy} which
     * columns name a row. Settled by a <b>conditional update</b>, the default.
     *
     * <p>{@code UPDATE … SET qty = qty - n WHERE key AND qty >= n}. One statement, one round trip, one row lock, for winner
     * and loser; a loser who had to wait looks a second time. <b>The loser waits</b> for the row while another holds it,
     * then gets a clear no. An update that waited and then matched no row <em>still holds the row's lock</em> until the
     * transaction ends: end a loser's transaction at once, as {@code orRollback()} does. Works in autocommit. Under
     * REPEATABLE READ a loser gets 40001 instead of waiting for the truth. Not for one row that hundreds want at the same
     * time: each commit is waited for by the next one.
     */
    public static Stock of(Table table, String quantity) {
        Count count = new Count(table, quantity);
        return new Stock(count, new ConditionalUpdate(count, Level.ANY), table.toString(), RaceListener.none());
    }

    /**
     * Settled by the table's own CHECK constraint of this name: the update is unconditional, and a violation means sold out.
     *
     * <p>For a rule that is richer than {@code qty >= 0}, such as {@code CHECK (qty - reserved >= 10)}: the database is the
     * only one who knows it. Three statements (savepoint, update, release) in one round trip, one row lock, one
     * sub-transaction a take; the loser pays a second round trip and an ERROR line in the server's log. <b>The loser
     * waits</b>. Only this constraint's name means sold out; any other violation is thrown as it came. In autocommit there
     * is no savepoint. With a rule stricter than {@code qty >= 0}, {@link Take.SoldOut#left} is what the column holds, not
     * what the rule would still allow. Not where losers are many.
     */
    public Stock constraint(String constraintName) {
        return with(new CheckConstraint(count, constraintName));
    }

    /**
     * Settled by a row lock: lock, look, take.
     *
     * <p>One statement, one round trip; the row is locked {@code FOR NO KEY UPDATE}, by the loser too, until the transaction
     * ends. <b>The loser waits</b>, and what it hears is exact at once. Right where the row must be held anyway while
     * something else is decided; else the conditional update does the same and lets losers go without a lock.
     */
    public Stock pessimistic() {
        return with(new RowLock(count));
    }

    /** {@link #optimistic(String, int)} with at most 10 attempts. */
    public Stock optimistic(String versionColumn) {
        return optimistic(versionColumn, 10);
    }

    /**
     * Settled by compare-and-set on a version column (a whole number, not null): read, then update only if the version is
     * still the one seen.
     *
     * <p>Two statements and two round trips an attempt, no lock while reading. <b>The loser tries again</b>, at once and at
     * most {@code attempts} times in all, then is {@link Take.Busy}. An update that waited for another's commit and then
     * missed the version holds the row's lock, so the attempt after it cannot miss. Every take and give-back raises the
     * version by one, so other users of the version notice. Foreign writers that leave the version alone cannot make it
     * oversell: the quantity is checked again in the update. For rows that are rarely contended and have a version anyway
     * (JPA's {@code @Version}); the slowest of all on a hot row.
     *
     * @param attempts at least 1
     */
    public Stock optimistic(String versionColumn, int attempts) {
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts must be at least 1, not " + attempts);
        }
        return with(new VersionCheck(count.versioned(versionColumn), attempts));
    }

    /**
     * Settled by the isolation level: on any connection that is not SERIALIZABLE nothing runs and the call throws
     * {@link IllegalStateException}.
     *
     * <p>One statement, one round trip; the check rides along. <b>The loser is rolled back</b> with 40001, now or at COMMIT,
     * and has to run its whole transaction again: {@code Tx.on(ds).serializable().retrying(…)}. A {@link Take.SoldOut} is
     * true for the transaction's snapshot. For transactions whose rule spans rows that no lock can name; on a hot row it
     * starves its slowest, since every loser begins anew.
     */
    public Stock serializable() {
        return with(new ConditionalUpdate(count, Level.SERIALIZABLE));
    }

    /**
     * Settled by a transaction-scoped advisory lock on the key, then a conditional update, since foreign writers do not take
     * the lock.
     *
     * <p>Two statements in one round trip, one advisory lock and one row lock until the transaction ends. <b>The loser
     * waits</b>, without touching the row. On REPEATABLE READ and SERIALIZABLE nothing runs and the call throws {@link
     * IllegalStateException}: the snapshot would be older than the lock. So it does in autocommit, where the lock would be
     * gone before the update. The lock's number is, as a signed big-endian number, the first eight bytes of the SHA-256 of
     * these texts, each as UTF-8 with its length in bytes before it (four bytes, big-endian): {@code tiebreak.stock}, the
     * table's name, with its schema if it was given one ({@code shop.stock}), and each value of the key. For a rule over rows that do not exist yet; for a plain count the conditional update is
     * cheaper.
     */
    public Stock advisory() {
        return with(new AdvisoryGate(count));
    }

    /**
     * Settled by splitting the count of a key over several rows, told apart by a whole-number column: takers of different
     * shards do not wait for each other.
     *
     * <p>The table holds one row a key and shard, numbered from 0 to {@code shards - 1} (rows beyond are found too); the
     * unique key is the table's key and the shard. A take tries one shard that has enough, beginning at a random one: three
     * statements (savepoint, update, release) in one round trip, one row lock, one sub-transaction. Only when no shard
     * has enough, <em>all</em> shards of the key are locked in one ordered statement, and n may span them: nothing is left
     * unsold, and "sold out" is exact. <b>The loser waits</b>, on one shard of many. {@link Take.Taken#left} is the sum over
     * the shards as the statement saw it. {@link #rebalance} spreads what is left evenly. A second take of the same key in
     * the same transaction may deadlock (40P01: run it again): take n at once. Not for counts of a few units, where most
     * takes have to lock all shards.
     *
     * @param shards at least 2
     */
    public Stock split(String shardColumn, int shards) {
        if (shards < 2) {
            throw new IllegalArgumentException("a split stock has at least 2 shards, not " + shards);
        }
        return with(new SplitCounter(count.sharded(shardColumn), shards));
    }

    /** The race's name in events, logs and errors; the table's name until then. */
    public Stock named(String race) {
        return new Stock(count, strategy, race, listener);
    }

    /** Every settled take, cart and give-back is told to the listener; a call that throws is not. */
    public Stock listening(RaceListener raceListener) {
        return new Stock(count, strategy, name, raceListener.guarded());
    }

    /**
     * Takes n units of one key, all or nothing.
     *
     * @param n at least 1
     * @throws IllegalStateException if the strategy refuses the connection's isolation level; nothing ran then
     * @throws SQLException as the database says: 40001 and 40P01 mean that the transaction must be run again
     */
    public Take take(Connection connection, Key key, long n) throws SQLException {
        count.check(key, n);
        Attempts attempts = new Attempts();
        Take outcome = strategy.take(connection, key, n, attempts);
        settled(outcome, attempts);
        return outcome;
    }

    /**
     * Takes a whole cart, all or nothing: one statement that locks the rows in key order, so two carts cannot deadlock,
     * whatever the strategy. The strategy's checks of the isolation level and its version column hold here too.
     *
     * @param cart how many of which key, at least 1 each; at least one key
     */
    public TakeAll takeAll(Connection connection, Map<Key, Long> cart) throws SQLException {
        if (cart.isEmpty()) {
            throw new IllegalArgumentException("the cart of " + name + " is empty");
        }
        cart.forEach(count::check);
        Attempts attempts = new Attempts();
        TakeAll outcome = strategy.takeAll(connection, cart, attempts);
        settled(outcome, attempts);
        return outcome;
    }

    /**
     * Puts n units back. It is an ordinary update in the caller's transaction: others see the units once it has committed.
     *
     * @param n at least 1
     */
    public GiveBack giveBack(Connection connection, Key key, long n) throws SQLException {
        count.check(key, n);
        Attempts attempts = new Attempts();
        GiveBack outcome = strategy.giveBack(connection, key, n);
        settled(outcome, attempts);
        return outcome;
    }

    /**
     * Spreads what is left of a {@linkplain #split split} key evenly over its shards, so that one shard is enough for most
     * takes again. One statement; locks all shards of the key in order.
     *
     * @throws UnsupportedOperationException if the stock is not split
     */
    public Rebalance rebalance(Connection connection, Key key) throws SQLException {
        count.check(key, 1L);
        Attempts attempts = new Attempts();
        Rebalance outcome = strategy.rebalance(connection, key);
        settled(outcome, attempts);
        return outcome;
    }

    Count count() {
        return strategy.count;
    }

    Strategy strategy() {
        return strategy;
    }

    String name() {
        return name;
    }

    RaceListener listener() {
        return listener;
    }

    private Stock with(Strategy other) {
        return new Stock(count, other, name, listener);
    }

    private void settled(Object outcome, Attempts attempts) {
        listener.settled(new RaceListener.Event(
                name, strategy.name(), outcome.getClass().getSimpleName(), attempts.made(), attempts.waited()));
    }

    /** Such as {@code tea sale (conditional on shop.stock.qty)}. */
    @Override
    public String toString() {
        return name + " (" + strategy.name() + " on " + count + ")";
    }

    /** What became of a {@link Stock#take}. */
    public sealed interface Take extends BatchingWriter.Answer {
        /** All n units are yours once the transaction has committed; {@code left} remain in it. */
        record Taken(long left) implements Take {
            @Override
            public Taken orRollback() {
                return this;
            }
        }

        /** Fewer than n were left, namely {@code left}; nothing was taken. */
        record SoldOut(long left) implements Take {
            @Override
            public Taken orRollback() {
                throw new Lost(this);
            }
        }

        /** There is no row of this key. */
        record Absent(Key key) implements Take {
            @Override
            public Taken orRollback() {
                throw new Lost(this);
            }
        }

        /**
         * Nothing was taken and nothing is known: try later.
         *
         * @param attempts how many were made; 0 if it never came to the first one
         * @param waited from the call to the answer
         */
        record Busy(int attempts, Duration waited) implements Take {
            @Override
            public Taken orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of a {@link Stock#takeAll}. */
    public sealed interface TakeAll {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        TakenAll orRollback();

        /** The whole cart is yours once the transaction has committed; {@code left} remain of each key. */
        record TakenAll(Map<Key, Long> left) implements TakeAll {
            @Override
            public TakenAll orRollback() {
                return this;
            }
        }

        /** These keys had too few, namely {@code left} each; nothing was taken of any key. */
        record SoldOut(Map<Key, Long> left) implements TakeAll {
            @Override
            public TakenAll orRollback() {
                throw new Lost(this);
            }
        }

        /** There is no row of this key; nothing was taken of any key. */
        record Absent(Key key) implements TakeAll {
            @Override
            public TakenAll orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of a {@link Stock#giveBack}. */
    public sealed interface GiveBack {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        GivenBack orRollback();

        /** The units are back once the transaction has committed; {@code left} are there then. */
        record GivenBack(long left) implements GiveBack {
            @Override
            public GivenBack orRollback() {
                return this;
            }
        }

        /** There is no row of this key. */
        record Absent(Key key) implements GiveBack {
            @Override
            public GivenBack orRollback() {
                throw new Lost(this);
            }
        }
    }

    /** What became of a {@link Stock#rebalance}. */
    public sealed interface Rebalance {
        /** The winning record, or {@link Lost}, which rolls the transaction back. */
        @CanIgnoreReturnValue
        Rebalanced orRollback();

        /** Even over the shards once the transaction has committed: {@code left} in all. */
        record Rebalanced(long left) implements Rebalance {
            @Override
            public Rebalanced orRollback() {
                return this;
            }
        }

        /** There is no row of this key. */
        record Absent(Key key) implements Rebalance {
            @Override
            public Rebalanced orRollback() {
                throw new Lost(this);
            }
        }
    }
}
