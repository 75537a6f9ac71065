package dev.tiebreak.prove;

import dev.tiebreak.prove.engine.Connector;
import dev.tiebreak.prove.engine.Cures;
import dev.tiebreak.prove.engine.RaceException;
import dev.tiebreak.prove.engine.SpecRun;
import dev.tiebreak.prove.picture.Trace;
import dev.tiebreak.prove.spec.Spec;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Proves the race of a spec file: runs every interleaving of its sessions on a real server.
 *
 * <p>Needs one connection a session and one more, and the right to create a schema in the database; everything happens in a
 * schema of its own, which is dropped at the end. Immutable; a proof may be run more than once, also at the same time.
 */
public final class SpecProof {
    /** The number of preemptions that means all. */
    public static final int ALL = Integer.MAX_VALUE;

    private final Spec spec;
    private final Connector connector;
    private final int preemptions;
    private final Duration budget;
    private final Duration patience;
    private final boolean reduce;
    private final boolean fixes;
    private final Consumer<Progress> listener;

    /**
     * Where a proof stands.
     *
     * @param interleavings how many runs were judged
     * @param violations how many of them were bad
     * @param preemptions how many switches the runs under way have
     * @param took since the search began
     * @param cure the cure under trial, or empty while the race is run as written
     */
    public record Progress(long interleavings, long violations, int preemptions, Duration took, String cure) {}

    private SpecProof(
            Spec spec,
            Connector connector,
            int preemptions,
            Duration budget,
            Duration patience,
            boolean reduce,
            boolean fixes,
            Consumer<Progress> listener) {
        this.spec = spec;
        this.connector = connector;
        this.preemptions = preemptions;
        this.budget = budget;
        this.patience = patience;
        this.reduce = reduce;
        this.fixes = fixes;
        this.listener = listener;
    }

    /**
     * A proof of a file at a server.
     *
     * @param url a JDBC URL of PostgreSQL 15 or later
     * @throws dev.tiebreak.prove.spec.SpecException if the file is wrong
     */
    public static SpecProof of(Path file, String url) {
        return of(Spec.read(file), url);
    }

    /** A proof of a parsed file at a server. */
    public static SpecProof of(Spec spec, String url) {
        return of(spec, Connector.url(url));
    }

    /** A proof of a parsed file with the connections of a data source, which have to be to PostgreSQL by pgjdbc. */
    public static SpecProof of(Spec spec, DataSource source) {
        return of(spec, Connector.of(source));
    }

    private static SpecProof of(Spec spec, Connector connector) {
        return new SpecProof(
                spec, connector, ALL, Duration.ofSeconds(60), Duration.ofSeconds(10), true, false, progress -> {});
    }

    /** Runs only interleavings with at most so many switches away from a session that could go on; by default all. */
    public SpecProof preemptions(int most) {
        if (most < 0) {
            throw new IllegalArgumentException("preemptions must be 0 or more, not " + most);
        }
        return new SpecProof(spec, connector, most, budget, patience, reduce, fixes, listener);
    }

    /** Ends the search after this time; by default 60 s. */
    public SpecProof budget(Duration most) {
        if (most.isNegative() || most.isZero()) {
            throw new IllegalArgumentException("the budget must be more than 0, not " + most);
        }
        return new SpecProof(spec, connector, preemptions, most, patience, reduce, fixes, listener);
    }

    /** Gives up on a step that does not return for so long although nobody of the race blocks it; by default 10 s. */
    public SpecProof stepTimeout(Duration most) {
        if (most.isNegative() || most.isZero()) {
            throw new IllegalArgumentException("the step timeout must be more than 0, not " + most);
        }
        return new SpecProof(spec, connector, preemptions, budget, most, reduce, fixes, listener);
    }

    /** Runs also the orders that only swap steps which do not touch each other; slower, with the same verdict. */
    public SpecProof withoutReduction() {
        return new SpecProof(spec, connector, preemptions, budget, patience, false, fixes, listener);
    }

    /**
     * Tries the known cures on a violated race: the same proof again for each of them, with the same bounds. None is tried on
     * what fails one after another, which is no race.
     */
    public SpecProof withFixes() {
        return new SpecProof(spec, connector, preemptions, budget, patience, reduce, true, listener);
    }

    /** Tells a listener after every run, on the thread that explores; what it throws ends the proof, and leaves nothing behind. */
    public SpecProof progress(Consumer<Progress> told) {
        return new SpecProof(spec, connector, preemptions, budget, patience, reduce, fixes, told);
    }

    /**
     * Runs the race.
     *
     * @throws dev.tiebreak.prove.spec.SpecException if the file cannot be run; the message begins with file and line
     * @throws SetupException if the server is the reason
     */
    public Verdict explore() {
        try {
            Verdict verdict = prove(spec, "");
            return fixes && verdict instanceof Verdict.Violated violated && !violated.isSerial()
                    ? violated.with(cured())
                    : verdict;
        } catch (RaceException e) {
            throw new SetupException(String.valueOf(e.getMessage()), e);
        }
    }

    private Verdict prove(Spec race, String cure) {
        return new SpecRun(race, connector)
                .prove(SpecRun.settings(
                        preemptions,
                        budget,
                        patience,
                        reduce,
                        p -> listener.accept(new Progress(p[0], p[1], (int) p[2], Duration.ofNanos(p[3]), cure))));
    }

    /** What became of each cure: the proved ones first, of these the one with the fewest waits and retries a run. */
    private List<Fix> cured() {
        List<Fix> tried = new ArrayList<>();
        for (Cures.Cure cure : Cures.of(spec)) {
            Verdict verdict = prove(cure.spec(), cure.name());
            Coverage c = verdict.coverage();
            tried.add(new Fix(cure.name(), verdict.word(), c.interleavings(), c.waits(), c.retried(), cure.changes()));
        }
        tried.sort(Comparator.comparing((Fix fix) -> !fix.proved())
                .thenComparingDouble(fix -> (fix.waits() + fix.retries()) / (double) Math.max(1, fix.interleavings())));
        return tried;
    }

    /**
     * Runs one schedule and tells what happens.
     *
     * @param schedule the session of each turn, as in {@link Verdict.Violated#schedule()}
     * @throws SetupException if the schedule cannot be followed
     */
    public Trace replay(List<String> schedule) {
        try {
            return new SpecRun(spec, connector).replay(schedule, patience);
        } catch (RaceException e) {
            throw new SetupException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Drops the schemas that killed proofs of this role left in the database, as every proof does before it begins.
     *
     * @param source connections to PostgreSQL
     * @throws SetupException if the server refuses
     */
    public static void dropLeftovers(DataSource source) {
        try {
            SpecRun.dropLeftovers(Connector.of(source));
        } catch (RaceException | SQLException e) {
            throw new SetupException("the schemas of killed proofs could not be dropped: " + e.getMessage(), e);
        }
    }
}
