package dev.tiebreak.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.Tx;
import dev.tiebreak.prove.Proof;
import dev.tiebreak.prove.Verdict;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** A race that the prover runs: every order of the statements of two or three sessions, on a server of one major version. */
public abstract class Proving {
    private static final List<String> NAMES = List.of("ana", "ben", "cara");

    /** A database of the race's own. */
    protected final Db db;

    /** Makes the tables. */
    protected Proving(int major, String tables) throws SQLException {
        this.db = Db.on(major);
        db.run(tables);
    }

    /** The proof of this many sessions that do the same, each under its number, from 1. */
    protected final Proof race(int sessions, String reset, Part part) {
        Proof proof = Proof.on(db.source()).reset(reset);
        for (int i = 1; i <= sessions; i++) {
            int number = i;
            Proof unused = proof.session(NAMES.get(i - 1), ds -> part.play(ds, number));
        }
        return proof;
    }

    /** One transaction on the prover's connections, and the name of its outcome. */
    protected static String outcome(DataSource source, Tx.Body<?, RuntimeException> body) {
        return word(Tx.on(source).call(body));
    }

    /** The name of an outcome, which is all of it that is the same in every run. */
    protected static String word(Object outcome) {
        return outcome.getClass().getSimpleName();
    }

    /** The broken variant must be caught, or the proof of the cure says nothing. */
    protected static void assertCaught(Proof broken) {
        assertThat(broken.explore()).isInstanceOf(Verdict.Violated.class);
    }

    /** What the session of this number does; what it returns is compared with what some order of the transactions returns. */
    @FunctionalInterface
    public interface Part {
        /** Does it. */
        Object play(DataSource source, int number) throws Exception;
    }
}
