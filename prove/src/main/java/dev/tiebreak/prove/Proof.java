package dev.tiebreak.prove;

import dev.tiebreak.prove.engine.JavaRace;
import dev.tiebreak.prove.engine.JavaRun;
import dev.tiebreak.prove.engine.RaceException;
import dev.tiebreak.prove.engine.Seats;
import dev.tiebreak.prove.engine.SpecRun;
import dev.tiebreak.prove.picture.Trace;
import dev.tiebreak.prove.spec.Directive.SerialEquivalent.Mode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Proves a race of ordinary JDBC code: runs every interleaving of its statements on a real server.
 *
 * {@snippet :
 * Proof.on(dataSource)
 *         .reset("TRUNCATE stock; INSERT INTO stock VALUES (1, 1, 0)")
 *         .session("ana", ds -> shop.buy(ds, 1))
 *         .session("ben", ds -> shop.buy(ds, 1))
 *         .invariant("never below zero", "SELECT qty >= 0 FROM stock")
 *         .explore()
 *         .assertProved();
 * }
 *
 * <p>Every session runs on a thread of its own and gets a data source whose connections stop before each {@code execute*},
 * {@code commit} and {@code rollback} until it is their turn. It has to be deterministic: asked in the same order, it has to
 * do the same. Besides invariants, a run is good only if the values that the committed sessions return, and the rows they
 * leave, are those of some order of their transactions; an exception that leaves a session is a violation unless it is
 * {@linkplain #allow allowed}. Pools, Spring, jOOQ and Hibernate work: build them over {@link #racing} if they are made once.
 *
 * <p>The database is a test database: {@code reset} runs before every interleaving. Needs pgjdbc. A proof is a builder for
 * one thread; {@link #explore} may be called again.
 */
public final class Proof {
    private final DataSource source;
    private final List<JavaRace.Player> players = new ArrayList<>();
    private final List<Class<? extends Throwable>> allowed = new ArrayList<>();
    private final List<Consumer<JavaRun>> rules = new ArrayList<>();
    private String name = "race";
    private JavaRace.Reset reset = connection -> {};
    private String state = "";
    private int preemptions = SpecProof.ALL;
    private Duration budget = Duration.ofSeconds(60);
    private Duration patience = Duration.ofSeconds(10);
    private boolean reduce = true;
    private Consumer<SpecProof.Progress> listener = progress -> {};

    /** What a session does; what it returns is compared. */
    @FunctionalInterface
    public interface Session {
        /** Does it with connections of this source. */
        @Nullable
        Object run(DataSource source) throws Exception;
    }

    /** What a session does that has no answer. */
    @FunctionalInterface
    public interface Action {
        /** Does it with connections of this source. */
        void run(DataSource source) throws Exception;
    }

    /** Puts the rows back to the start of a run. */
    @FunctionalInterface
    public interface Reset {
        /** Runs on a connection in autocommit mode, which must not be closed. */
        void run(Connection connection) throws SQLException;
    }

    /** Which sessions have to fit an order of the transactions. */
    public enum Serial {
        /** Every committed session. */
        ON(Mode.ON),
        /** Those that changed a row; add an invariant against turning buyers away. */
        WRITERS(Mode.WRITERS),
        /** None: only invariants and errors judge. */
        OFF(Mode.OFF);

        private final Mode mode;

        Serial(Mode mode) {
            this.mode = mode;
        }
    }

    private Proof(DataSource source) {
        this.source = source;
    }

    /** A proof with the connections of a data source: one a session, and one more. */
    public static Proof on(DataSource source) {
        return new Proof(source);
    }

    /**
     * A data source for beans that are made once, such as a {@code JdbcTemplate}, a {@code DSLContext} or a
     * {@code SessionFactory}: on the thread of a session it hands out connections of the race, elsewhere ordinary ones.
     */
    public static DataSource racing(DataSource source) {
        return new Seats(source);
    }

    /** Names the race in reports; by default {@code race}. */
    public Proof named(String race) {
        name = race;
        return this;
    }

    /** Puts the rows back with these statements before every run. */
    public Proof reset(String sql) {
        return reset(connection -> {
            try (Statement s = connection.createStatement()) {
                s.execute(sql);
            }
        });
    }

    /** Puts the rows back with this code before every run. */
    public Proof reset(Reset code) {
        reset = code::run;
        return this;
    }

    /**
     * Adds a session that answers.
     *
     * @param session its name, unique in the race
     * @param code what it does; the value it returns has to have an {@code equals} and a {@code toString} of its own
     */
    public Proof session(String session, Session code) {
        if (session.isBlank() || players.stream().anyMatch(p -> p.name().equals(session))) {
            throw new IllegalArgumentException("a session needs a name of its own, not \"" + session + "\"");
        }
        players.add(new JavaRace.Player(session, code::run));
        return this;
    }

    /** Adds a session that has no answer. */
    public Proof run(String session, Action code) {
        return session(session, source -> {
            code.run(source);
            return null;
        });
    }

    /** Adds a query of one boolean that must be true at the end of every run. */
    public Proof invariant(String invariant, String sql) {
        rules.add(run -> run.invariant(invariant, false, sql));
        return this;
    }

    /** Adds a query of one boolean that must be true after every step. */
    public Proof always(String invariant, String sql) {
        rules.add(run -> run.invariant(invariant, true, sql));
        return this;
    }

    /** Adds a query of one boolean that must be true at the end of one run at least, or the proof would be empty. */
    public Proof sometimes(String what, String sql) {
        rules.add(run -> run.sometimes(what, sql));
        return this;
    }

    /** Asks that a session had to wait for another in one run at least, or the proof would be empty. */
    public Proof someoneWaits() {
        rules.add(run -> run.sometimes("someone waited", ""));
        return this;
    }

    /** Says which sessions have to fit an order of the transactions; by default all. */
    public Proof serialEquivalent(Serial which) {
        rules.add(run -> run.serial(which.mode));
        return this;
    }

    /** Compares the answer of this query at the end, in place of the tables that were written. */
    public Proof state(String sql) {
        state = sql;
        return this;
    }

    /** Lets sessions end with these SQLSTATEs. */
    public Proof allowErrors(String... sqlStates) {
        Set<String> states = Set.of(sqlStates);
        rules.add(run -> run.allow(states));
        return this;
    }

    /** Lets sessions end with exceptions of this type. */
    public Proof allow(Class<? extends Throwable> type) {
        allowed.add(type);
        return this;
    }

    /** Runs only interleavings with at most so many switches away from a session that could go on; by default all. */
    public Proof preemptions(int most) {
        if (most < 0) {
            throw new IllegalArgumentException("preemptions must be 0 or more, not " + most);
        }
        preemptions = most;
        return this;
    }

    /** Ends the search after this time; by default 60 s. */
    public Proof budget(Duration most) {
        if (most.isNegative() || most.isZero()) {
            throw new IllegalArgumentException("the budget must be more than 0, not " + most);
        }
        budget = most;
        return this;
    }

    /** Gives up on a step that does not return for so long although nobody of the race blocks it; by default 10 s. */
    public Proof stepTimeout(Duration most) {
        if (most.isNegative() || most.isZero()) {
            throw new IllegalArgumentException("the step timeout must be more than 0, not " + most);
        }
        patience = most;
        return this;
    }

    /** Runs also the orders that only swap steps which do not touch each other; slower, with the same verdict. */
    public Proof withoutReduction() {
        reduce = false;
        return this;
    }

    /** Tells a listener after every run, on the thread that explores. */
    public Proof progress(Consumer<SpecProof.Progress> told) {
        listener = told;
        return this;
    }

    /**
     * Runs the race.
     *
     * @throws SetupException if it cannot be run: no server, a reset that fails, a session that is not deterministic
     */
    public Verdict explore() {
        return attempt(run -> run.prove(SpecRun.settings(
                preemptions,
                budget,
                patience,
                reduce,
                p -> listener.accept(new SpecProof.Progress(p[0], p[1], (int) p[2], Duration.ofNanos(p[3]), "")))));
    }

    /**
     * Runs one schedule and tells what happens.
     *
     * @param schedule the session of each turn, as in {@link Verdict.Violated#schedule()}
     * @throws SetupException if the schedule cannot be followed
     */
    public Trace replay(List<String> schedule) {
        return attempt(run -> run.replay(schedule, patience));
    }

    private <T> T attempt(Function<JavaRun, T> work) {
        if (players.isEmpty()) {
            throw new IllegalStateException("a race needs a session: call session(name, code)");
        }
        JavaRun run = new JavaRun(new JavaRace(name, List.copyOf(players), reset, state, List.copyOf(allowed)), source);
        rules.forEach(rule -> rule.accept(run));
        try {
            return work.apply(run);
        } catch (RaceException e) {
            throw new SetupException(String.valueOf(e.getMessage()), e);
        }
    }
}
