package dev.tiebreak.stock;

import dev.tiebreak.CanIgnoreReturnValue;
import dev.tiebreak.Key;
import dev.tiebreak.Lost;
import dev.tiebreak.RaceListener;
import dev.tiebreak.Tx;
import dev.tiebreak.TxException;
import dev.tiebreak.stock.Stock.Take;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import javax.sql.DataSource;

/**
 * One writer for a very hot key: callers queue in memory, and a free writer grants everything that waits in one transaction.
 *
 * <p>The race: hundreds want the same row at the same time, and each would wait for the commit of the one before it. Here
 * they wait for one commit together. A writer that is idle takes a batch of one at once; while it commits, the next batch
 * gathers by itself, so there is no timer to tune ("natural batching"). <b>The loser queues</b>, and hears {@link
 * Take.SoldOut} or, when the queue is full or its deadline has passed in it, {@link Take.Busy}.
 *
 * <p>Price: one statement, one round trip and one commit a <em>batch</em>, whatever its size; a thread and a connection a
 * writer. The rows of the batch are locked in key order ({@code FOR NO KEY UPDATE}) and read under that lock, so it is safe
 * beside other writers, other processes and plain SQL. Requests of one key are served first come, first served; if they want
 * different numbers and there is not enough for all, that key takes two more round trips. It commits for itself: use it where
 * the take <em>is</em> the transaction, and write the order afterwards; inside the body of a {@link Tx} it refuses. Not
 * for a count that few want: the conditional update commits together with the order. See {@code docs/guide/stock.md}.
 *
 * <pre>{@code
 * final BatchingWriter gate = BatchingWriter.open(dataSource, tea);   // a field of the application
 *
 * switch (gate.take(STOCK.key("item_id", 7), 1)) {
 *     case Taken won   -> orders.insert(order);
 *     case SoldOut no  -> conflict409();
 *     case Absent no   -> notFound404();
 *     case Busy no     -> unavailable503();
 *     case Unknown may -> accepted202(may.id());
 * }
 * }</pre>
 *
 * <p>A connection that dies is replaced; only the batch that was in flight on it is in doubt ({@link Unknown}). A request that
 * breaks a constraint or makes a trigger fail does so alone: the batch is halved until it stands by itself. A row that
 * somebody else keeps locked for longer than {@link Options#lockWait} makes only its own requests busy.
 *
 * <p>Thread-safe. Blocking calls are meant for virtual threads. A {@linkplain Stock#split split} stock has no place here.
 */
public final class BatchingWriter implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(BatchingWriter.class.getName());

    private final Stock stock;
    private final Options options;
    private final List<Writer> writers;
    private volatile boolean closed;

    private BatchingWriter(Stock stock, Options options, List<Writer> writers) {
        this.stock = stock;
        this.options = options;
        this.writers = writers;
    }

    /** {@link #open(DataSource, Stock, Options)} with {@link Options#standard()}. */
    public static BatchingWriter open(DataSource dataSource, Stock stock) {
        return open(dataSource, stock, Options.standard());
    }

    /**
     * Starts the writers. Each takes one connection from the source when its first request comes, keeps it, and gives it back
     * in {@link #close()}; a source that cannot be reached is {@link Take.Busy} until it can.
     *
     * @param stock the table and column, the version column if it is optimistic, the constraint that means sold out if it has
     *     one, its name and listener; its strategy is not used otherwise
     */
    public static BatchingWriter open(DataSource dataSource, Stock stock, Options options) {
        if (!stock.count().shard().isEmpty()) {
            throw new IllegalArgumentException(
                    stock + " is split over rows to spread its takers; a batching writer takes from one row a key");
        }
        List<Writer> writers = new ArrayList<>();
        for (int i = 0; i < options.writers(); i++) {
            writers.add(Writer.start(dataSource, stock, options, stock.name() + "-" + i));
        }
        return new BatchingWriter(stock, options, List.copyOf(writers));
    }

    /**
     * Takes n units of one key, all or nothing, and returns once that is committed or refused. If the thread is interrupted
     * while the request waits in the queue, it is withdrawn: {@link Take.Busy}, and the thread stays interrupted.
     *
     * @param n at least 1
     * @throws TxException if the database refused this request, or cannot serve any
     * @throws TxException.Misuse inside the body of a {@link Tx}
     */
    public Answer take(Key key, long n) {
        check(key, n);
        Request request = Request.blocking(key, n, options.deadline());
        return settled(request, enter(request) ? request.await() : request.busy(0));
    }

    /**
     * The same without waiting. The stage completes on a thread of its own batch, so what follows may block; exceptionally
     * with a {@link TxException} where {@link #take} would throw it. The deadline is looked at when a writer comes to it.
     */
    public CompletionStage<Answer> takeAsync(Key key, long n) {
        check(key, n);
        Request request = Request.async(key, n, options.deadline());
        if (!enter(request)) {
            request.answer(request.busy(0));
            request.tellFuture();
        }
        return request.stage().thenApply(answer -> settled(request, answer));
    }

    boolean isClosed() {
        return closed;
    }

    /** How many requests wait in the queues just now. */
    public int waiting() {
        return writers.stream().mapToInt(w -> w.waiters().size()).sum();
    }

    /** {@link #close(Duration)} within {@link Options#deadline}; what could not be finished is logged as a warning. */
    @Override
    public void close() {
        Closed result = close(options.deadline());
        if (result.refused() + result.unknown() > 0) {
            LOG.log(Level.WARNING, "{0} was closed before it was done: {1}", stock.name(), result);
        }
    }

    /**
     * Takes no more requests, finishes what is queued and gives the connections back. What is still queued at the limit is
     * {@link Take.Busy}; what is in flight then is cancelled, and becomes {@link Take.Busy} too if the server says that it
     * was, {@link Unknown} if it says nothing. Every caller gets an answer. Closing again does nothing.
     */
    public Closed close(Duration within) {
        long end = System.nanoTime() + within.toNanos();
        // The writers first: whoever sees this closed must find that they count what they finish from here on.
        writers.forEach(w -> w.finishBy(end));
        closed = true;
        Closed sum = new Closed(0, 0, 0);
        for (Writer writer : writers) {
            sum = sum.plus(writer.awaitEnd());
        }
        return sum;
    }

    private void check(Key key, long n) {
        if (Tx.isRunning()) {
            throw new TxException.Misuse(
                    stock.name() + " is sold by a batching writer, which commits for itself: called inside the"
                            + " body of a Tx, its take would stay when the body rolls back. Call it before the transaction, or take with"
                            + " stock.take(connection, …) inside");
        }
        stock.count().check(key, n);
    }

    private boolean enter(Request request) {
        if (closed) {
            return false;
        }
        int hash = request.key.hashCode();
        Writer writer = writers.get(Math.floorMod(hash ^ (hash >>> 16), writers.size()));
        if (!writer.waiters().add(request)) {
            return false;
        }
        writer.refuseIfEnded();
        return true;
    }

    private Answer settled(Request request, Answer answer) {
        int attempts = answer instanceof Take.Busy busy ? busy.attempts() : 1;
        stock.listener()
                .settled(new RaceListener.Event(
                        stock.name(),
                        "batching",
                        answer.getClass().getSimpleName(),
                        Math.max(1, attempts),
                        Duration.ofNanos(System.nanoTime() - request.began)));
        return answer;
    }

    /** Such as {@code tea sale (2 writers on shop.stock.qty, 17 waiting)}. */
    @Override
    public String toString() {
        return stock.name() + " (" + writers.size() + " writers on " + stock.count() + ", " + waiting() + " waiting)";
    }

    /** What became of a {@link BatchingWriter#take}. */
    public sealed interface Answer permits Take, Unknown {
        /** The winning record, or {@link Lost}. */
        @CanIgnoreReturnValue
        Take.Taken orRollback();
    }

    /**
     * Perhaps done: the connection died while this request's batch was in flight.
     *
     * @param id of the batch, as in the warning that was logged with the reason
     */
    public record Unknown(String id) implements Answer {
        @Override
        public Take.Taken orRollback() {
            throw new Lost(this);
        }
    }

    /**
     * What became of the requests that were open when {@link BatchingWriter#close(Duration)} was called.
     *
     * @param finished were answered as usual
     * @param refused were told {@link Take.Busy} because the limit had passed
     * @param unknown were in flight on a connection that said nothing in time
     */
    public record Closed(long finished, long refused, long unknown) {
        Closed plus(Closed other) {
            return new Closed(finished + other.finished, refused + other.refused, unknown + other.unknown);
        }
    }

    /**
     * How a writer works.
     *
     * @param writers threads and connections, 1 to 64; keys are spread over them, and one key is always served by the same
     * @param queue how many requests may wait for each writer, at least 1; one more is {@link Take.Busy} at once
     * @param deadline how long a request may wait in the queue, at least 1 ms; longer is {@link Take.Busy}
     * @param lockWait how long a batch waits for rows that others hold, at least 1 ms; then it goes on without them, and their
     *     requests are {@link Take.Busy}
     */
    public record Options(int writers, int queue, Duration deadline, Duration lockWait) {
        /** Checks the limits. */
        public Options {
            if (writers < 1 || writers > 64) {
                throw new IllegalArgumentException("writers must be 1 to 64, not " + writers);
            }
            if (queue < 1) {
                throw new IllegalArgumentException("queue must be at least 1, not " + queue);
            }
            if (deadline.toMillis() < 1 || lockWait.toMillis() < 1) {
                throw new IllegalArgumentException(
                        "deadline and lockWait must be at least 1 ms, not " + deadline + " and " + lockWait);
            }
        }

        /** 2 writers, 50,000 waiting for each, a deadline of 5 s, 1 s for rows that others hold. */
        public static Options standard() {
            return new Options(2, 50_000, Duration.ofSeconds(5), Duration.ofSeconds(1));
        }

        /** The same with so many writers. */
        public Options writers(int number) {
            return new Options(number, queue, deadline, lockWait);
        }

        /** The same with so long a queue. */
        public Options queue(int length) {
            return new Options(writers, length, deadline, lockWait);
        }

        /** The same with another deadline. */
        public Options deadline(Duration limit) {
            return new Options(writers, queue, limit, lockWait);
        }

        /** The same with another wait for locked rows. */
        public Options lockWait(Duration limit) {
            return new Options(writers, queue, deadline, limit);
        }
    }
}
