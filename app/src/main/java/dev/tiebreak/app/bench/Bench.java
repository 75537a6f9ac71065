package dev.tiebreak.app.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.tiebreak.app.Complaint;
import dev.tiebreak.app.Database;
import dev.tiebreak.app.Scratch;
import dev.tiebreak.app.Terminal;
import dev.tiebreak.app.bench.Load.Tally;
import dev.tiebreak.app.bench.Pgbench.Carried;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The strategies side by side under load, by rules that keep the comparison fair.
 *
 * <p>One database for all; a warm-up round that is dropped; then the cases interleaved, in reverse order every other
 * repeat, a CHECKPOINT before each where the role may; the median of the repeats counts. Every case proves itself: what
 * was sold is what left the shelf.
 */
public final class Bench {
    /** Connections for more callers than these: a pool they share. */
    static final int MOST_CONNECTIONS = 32;

    private static final List<Integer> POOLS = List.of(4, 8, 16, MOST_CONNECTIONS);
    private static final Duration LEAD_IN = Duration.ofMillis(300);
    /** Over all cases together, so that one strategy measured alone is not measured while the JVM compiles. */
    private static final Duration WARM_UP = Duration.ofSeconds(6);

    private static final Duration SHORTEST_WARM_UP = Duration.ofMillis(700);
    private static final int ATTEMPTS = 1000;
    private static final long PLENTY = 1_000_000_000_000L;
    private static final long UNIT_ROWS_A_SECOND = 20_000;

    private final Database database;
    private final Scratch scratch;
    private final Options options;
    private final @Nullable Pgbench pgbench;
    private final Terminal terminal;
    private final Map<Strategy, Shelf> shelves = new LinkedHashMap<>();
    private final Map<Case, String> scripts = new LinkedHashMap<>();
    private final Map<Case, List<Sample>> samples = new LinkedHashMap<>();
    private final Set<String> notes = new LinkedHashSet<>();
    private boolean checkpoints = true;

    private Bench(Database database, Scratch scratch, Options options, @Nullable Pgbench pgbench, Terminal terminal) {
        this.database = database;
        this.scratch = scratch;
        this.options = options;
        this.pgbench = pgbench;
        this.terminal = terminal;
    }

    /**
     * What to measure.
     *
     * @param clients numbers of callers, each at least 1
     * @param keys numbers of items, each at least 1
     * @param measured how long each case is measured, each time
     * @param repeats how often, at least 1
     * @param strategies which
     */
    public record Options(
            List<Integer> clients, List<Long> keys, Duration measured, int repeats, List<Strategy> strategies) {
        /** Checks the limits. */
        public Options {
            requireEach("--clients", clients, 100_000);
            requireEach("--keys", keys, 1_000_000);
            if (measured.compareTo(Duration.ofSeconds(1)) < 0 || measured.compareTo(Duration.ofHours(1)) > 0) {
                throw new Complaint("--seconds is from 1 to 3600, not " + measured.toSeconds());
            }
            if (repeats < 1 || repeats > 1000) {
                throw new Complaint("--repeats is from 1 to 1000, not " + repeats);
            }
        }

        private static void requireEach(String option, List<? extends Number> numbers, long most) {
            if (numbers.isEmpty()) {
                throw new Complaint(option + " needs at least one number");
            }
            for (Number number : numbers) {
                if (number.longValue() < 1 || number.longValue() > most) {
                    throw new Complaint(option + " is from 1 to " + most + ", not " + number);
                }
            }
        }
    }

    /** One case: a strategy in a setting, through the library with so many connections, or through pgbench. */
    private record Case(Strategy strategy, int clients, long keys, int connections, boolean viaPgbench) {
        @Override
        public String toString() {
            return strategy.word() + (viaPgbench ? " (pgbench)" : "") + ", " + clients + " clients, " + keys
                    + (keys == 1 ? " key" : " keys");
        }
    }

    /**
     * Measures everything, in a schema of its own.
     *
     * @param pgbench the path of pgbench, {@code none}, or null to look for it in the usual places
     * @throws Complaint if it cannot be measured
     */
    public static Results run(Database database, Options options, @Nullable String pgbench, Terminal terminal) {
        int connections = Math.min(MOST_CONNECTIONS, Collections.max(options.clients())) + 2;
        int free = database.freeConnections();
        if (free < connections) {
            throw new Complaint(connections + " connections are needed and the server has " + free
                    + " left for this role; ask for fewer --clients, or raise max_connections");
        }
        Pgbench program = pgbench == null
                ? Pgbench.find(terminal.env(), database).orElse(null)
                : pgbench.equals("none") ? null : Pgbench.at(Path.of(pgbench), database);
        try (Scratch scratch = Scratch.in(database)) {
            return new Bench(database, scratch, options, program, terminal).measure();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Complaint("interrupted", e);
        } catch (Exception e) {
            throw Complaint.about(e);
        }
    }

    private Results measure() throws Exception {
        List<Case> cases = cases();
        for (Strategy strategy : options.strategies()) {
            shelves.put(strategy, Shelf.of(scratch, strategy));
        }
        long begin = System.nanoTime();
        int rounds = options.repeats() + 1;
        for (int round = 0; round < rounds; round++) {
            List<Case> order = new ArrayList<>(cases);
            if (round % 2 == 0) {
                Collections.reverse(order);
            }
            for (int i = 0; i < order.size(); i++) {
                Case next = order.get(i);
                terminal.progress((round == 0 ? "warm-up" : "repeat " + round + " of " + options.repeats()) + ", case "
                        + (i + 1) + " of " + cases.size() + ": " + next);
                Sample sample = round == 0 ? warmUp(next) : sample(next, options.measured());
                if (round > 0) {
                    samples.computeIfAbsent(next, c -> new ArrayList<>()).add(sample);
                }
            }
        }
        return results(cases, Duration.ofNanos(System.nanoTime() - begin));
    }

    private List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (int clients : new LinkedHashSet<>(options.clients())) {
            for (long keys : new LinkedHashSet<>(options.keys())) {
                for (Strategy strategy : options.strategies()) {
                    for (int connections : connections(strategy, clients)) {
                        cases.add(new Case(strategy, clients, keys, connections, false));
                    }
                    if (pgbench != null && clients <= MOST_CONNECTIONS && Pgbench.canRun(strategy)) {
                        cases.add(new Case(strategy, clients, keys, clients, true));
                    }
                }
            }
        }
        return cases;
    }

    /** The conditional update, to which all others are compared, is given the pool that suits it best. */
    private static List<Integer> connections(Strategy strategy, int clients) {
        if (clients <= MOST_CONNECTIONS) {
            return List.of(clients);
        }
        return strategy == Strategy.CONDITIONAL ? POOLS : List.of(MOST_CONNECTIONS);
    }

    private Sample warmUp(Case next) throws Exception {
        if (next.viaPgbench) {
            try (HikariDataSource pool = database.pool(scratch.schema(), 1)) {
                scripts.put(next, Pgbench.script(next.strategy, pool, shelf(next), next.keys));
            }
            return Sample.NONE;
        }
        Duration share = WARM_UP.dividedBy(Math.max(1, cases().size()));
        return sample(next, share.compareTo(SHORTEST_WARM_UP) < 0 ? SHORTEST_WARM_UP : share);
    }

    private Sample sample(Case next, Duration measured) throws Exception {
        Shelf shelf = shelf(next);
        long units = next.strategy == Strategy.UNITS
                ? Math.max(1, UNIT_ROWS_A_SECOND * (measured.toSeconds() + 1) / next.keys)
                : PLENTY / next.keys;
        shelf.restock(next.keys, units);
        checkpoint();
        long before = units * next.keys;
        if (next.viaPgbench && pgbench != null) {
            Carried carried = pgbench.run(Objects.requireNonNull(scripts.get(next)), next.clients, measured);
            return new Sample(carried.perSecond(), Load.Tally.NONE, 0, before - shelf.left() == carried.processed());
        }
        long commitsBefore = commits();
        Tally tally;
        try (HikariDataSource pool = database.pool(scratch.schema(), next.connections);
                Seller seller = Sellers.open(next.strategy, pool, shelf, ATTEMPTS)) {
            tally = Load.keepUp(seller, next.clients, next.keys, LEAD_IN, measured);
        }
        awaitDisconnected();
        long commits = commits() - commitsBefore;
        return new Sample(tally.perSecond(), tally, commits, judge(next, tally, shelf, before));
    }

    private Shelf shelf(Case next) {
        return Objects.requireNonNull(shelves.get(next.strategy));
    }

    private boolean judge(Case next, Tally tally, Shelf shelf, long before) throws SQLException {
        boolean conserved = before - shelf.left() == tally.allTaken();
        boolean undersold = tally.soldOut() > 0 && shelf.fewestLeft() > 0;
        if (tally.soldOut() > 0 && !undersold) {
            notes.add(next + ": units ran out; its rate is too low");
        }
        tally.firstError().ifPresent(error -> notes.add(next + ": " + tally.errors() + " errors, the first " + error));
        return conserved && !undersold && tally.errors() == 0;
    }

    /** So that no case pays for what the one before it wrote. */
    private void checkpoint() throws SQLException {
        if (!checkpoints) {
            return;
        }
        try {
            scratch.run("CHECKPOINT");
        } catch (SQLException e) {
            if (!"42501".equals(e.getSQLState())) {
                throw e;
            }
            checkpoints = false;
            notes.add("no CHECKPOINT before each case: the role may not (GRANT pg_checkpoint)");
        }
    }

    /** What the server counted in this database; complete once the connections are gone. */
    private long commits() throws SQLException {
        long others = scratch.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                + " AND backend_type = 'client backend' AND application_name NOT IN ('" + scratch.schema() + "', '"
                + Database.ASKING + "')");
        if (others > 0) {
            notes.add("others are connected to this database: commits/take may count theirs");
        }
        return scratch.number("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()");
    }

    private void awaitDisconnected() throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (scratch.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + scratch.schema()
                                + "'")
                        > 1
                && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private Results results(List<Case> cases, Duration took) {
        List<Row> rows = new ArrayList<>();
        List<PgbenchRow> pgbenchRows = new ArrayList<>();
        for (Case one : cases) {
            List<Sample> repeats = samples.getOrDefault(one, List.of());
            if (one.viaPgbench) {
                pgbenchRows.add(PgbenchRow.of(one.strategy, one.clients, one.keys, repeats));
            } else {
                keepBest(rows, Row.of(one.strategy, one.clients, one.keys, one.connections, repeats));
            }
        }
        Map<String, String> facts = Machine.facts(database);
        if (pgbench != null) {
            facts.put("pgbench", pgbench + ", the same statements and round trips, -M prepared -j 2");
        }
        return new Results(rows, pgbenchRows, facts, List.copyOf(notes), options, took);
    }

    /** Of one strategy in one setting with several pools, the pool that carried most; one that was inexact is not hidden. */
    private static void keepBest(List<Row> rows, Row row) {
        for (int i = 0; i < rows.size(); i++) {
            Row other = rows.get(i);
            if (other.sameCase(row)) {
                boolean better = other.exact() && (!row.exact() || row.takesPerSecond() > other.takesPerSecond());
                rows.set(i, better ? row : other);
                return;
            }
        }
        rows.add(row);
    }
}
