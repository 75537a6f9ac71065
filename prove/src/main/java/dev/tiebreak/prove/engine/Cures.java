package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.Fix.Change;
import dev.tiebreak.prove.engine.Words.Word;
import dev.tiebreak.prove.spec.Directive;
import dev.tiebreak.prove.spec.Session;
import dev.tiebreak.prove.spec.Spec;
import dev.tiebreak.prove.spec.Sql;
import dev.tiebreak.prove.spec.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The known cures of a race, put into its SQL.
 *
 * <p>They are candidates: which of them helps, the prover says. A session without a transaction block is put into one
 * first, from its first step to its last.
 */
public final class Cures {
    private static final Set<String> UNLOCKABLE = Set.of(
            "group",
            "having",
            "distinct",
            "union",
            "except",
            "intersect",
            "count",
            "sum",
            "min",
            "max",
            "avg",
            "array_agg",
            "string_agg",
            "bool_and",
            "bool_or",
            "every",
            "over");

    private Cures() {}

    /**
     * A race with a cure in it.
     *
     * @param name of the cure
     * @param spec the race with the SQL changed
     * @param changes the steps that differ
     */
    public record Cure(String name, Spec spec, List<Change> changes) {
        /** Takes a copy of the changes. */
        public Cure {
            changes = List.copyOf(changes);
        }
    }

    /** All cures that change anything. */
    public static List<Cure> of(Spec spec) {
        Spec whole = inTransactions(spec);
        List<Cure> cures = new ArrayList<>();
        Spec locked = rewritten(whole, sql -> locked(sql, " FOR NO KEY UPDATE"));
        Spec exclusive = rewritten(whole, sql -> locked(sql, " FOR UPDATE"));
        Spec repeatable = rewritten(whole, sql -> atLevel(sql, "REPEATABLE READ"));
        Spec serializable = rewritten(whole, sql -> atLevel(sql, "SERIALIZABLE"));
        add(cures, spec, whole, "FOR NO KEY UPDATE on the reads", locked, false);
        add(cures, spec, whole, "FOR UPDATE on the reads", exclusive, false);
        add(cures, spec, whole, "advisory lock first", behindAdvisoryLock(whole), false);
        add(cures, spec, whole, "REPEATABLE READ + retry", repeatable, true);
        add(cures, spec, whole, "SERIALIZABLE + retry", serializable, true);
        return cures;
    }

    private static void add(List<Cure> cures, Spec original, Spec whole, String name, Spec changed, boolean retries) {
        if (whole.sessions().equals(changed.sessions())) {
            return;
        }
        List<Directive> directives = new ArrayList<>(changed.directives());
        if (retries) {
            directives.add(new Directive.Errors(
                    Set.of("40001", "40P01"),
                    3,
                    Set.of(),
                    changed.sessions().get(0).at()));
        }
        Spec cured = new Spec(
                changed.file(),
                changed.setup(),
                changed.teardown(),
                changed.sessions(),
                changed.permutations(),
                directives);
        cures.add(new Cure(name, cured, changes(original, cured)));
    }

    private static List<Change> changes(Spec before, Spec after) {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < before.sessions().size(); i++) {
            Session old = before.sessions().get(i);
            Session now = after.sessions().get(i);
            compare(changes, old.name(), "setup", old.setup(), now.setup());
            for (int k = 0; k < old.steps().size(); k++) {
                Step step = old.steps().get(k);
                compare(
                        changes,
                        old.name(),
                        step.name(),
                        Optional.of(step.sql()),
                        Optional.of(now.steps().get(k).sql()));
            }
        }
        return changes;
    }

    private static void compare(
            List<Change> changes, String session, String step, Optional<Sql> before, Optional<Sql> after) {
        String old = before.map(Sql::oneLine).orElse("");
        String now = after.map(Sql::oneLine).orElse("");
        if (!old.equals(now)) {
            changes.add(new Change(session, step, old, now));
        }
    }

    // ---- Rewriting.

    private static Spec rewritten(Spec spec, UnaryOperator<String> change) {
        return eachSession(
                spec,
                s -> new Session(
                        s.name(),
                        s.setup().map(sql -> new Sql(change.apply(sql.text()), sql.at())),
                        s.steps().stream()
                                .map(step -> with(step, change.apply(step.sql().text())))
                                .toList(),
                        s.teardown(),
                        s.copy(),
                        s.at()));
    }

    private static Spec eachSession(Spec spec, UnaryOperator<Session> change) {
        List<Session> sessions = spec.sessions().stream().map(change).toList();
        return new Spec(spec.file(), spec.setup(), spec.teardown(), sessions, spec.permutations(), spec.directives());
    }

    /** Sessions that run every statement by itself are put into one transaction. */
    private static Spec inTransactions(Spec spec) {
        return eachSession(spec, s -> begins(s) ? s : inTransaction(s));
    }

    private static boolean begins(Session session) {
        return session.setup().filter(sql -> begins(sql.text())).isPresent()
                || session.steps().stream().anyMatch(step -> begins(step.sql().text()));
    }

    private static boolean begins(String sql) {
        return Words.statements(sql).stream().anyMatch(Cures::isBegin);
    }

    private static boolean isBegin(List<Word> words) {
        return words.get(0).is("begin") || words.get(0).is("start");
    }

    private static Session inTransaction(Session s) {
        List<Step> steps = new ArrayList<>(s.steps());
        Step first = steps.get(0);
        steps.set(0, with(first, "BEGIN; " + first.sql().text()));
        Step last = steps.get(steps.size() - 1);
        steps.set(steps.size() - 1, with(last, last.sql().text().strip().replaceFirst(";$", "") + "; COMMIT;"));
        return new Session(s.name(), s.setup(), steps, s.teardown(), s.copy(), s.at());
    }

    private static Step with(Step step, String sql) {
        return new Step(step.name(), new Sql(sql, step.sql().at()), step.at());
    }

    /** Every SELECT of rows that can be locked, locked; one that is locked already is locked so. */
    private static String locked(String sql, String clause) {
        StringBuilder text = new StringBuilder(sql);
        List<List<Word>> statements = Words.statements(sql);
        for (int i = statements.size() - 1; i >= 0; i--) {
            List<Word> words = statements.get(i);
            boolean readsRows = words.get(0).is("select")
                    && words.stream().anyMatch(w -> w.identifier() && w.is("from"))
                    && words.stream().noneMatch(w -> w.identifier() && UNLOCKABLE.contains(w.text()));
            boolean lockedAlready = words.stream().anyMatch(w -> w.identifier() && (w.is("update") || w.is("share")));
            if (readsRows && !lockedAlready) {
                text.insert(words.get(words.size() - 1).end(), clause);
            }
        }
        return text.toString();
    }

    /** The lock comes after BEGIN, but never into a setup: setups run before the race, and must not wait for each other. */
    private static Spec behindAdvisoryLock(Spec spec) {
        String lock = "SELECT pg_advisory_xact_lock(1)";
        return eachSession(spec, s -> {
            List<Step> steps = new ArrayList<>(s.steps());
            steps.replaceAll(step -> with(step, afterBegin(step.sql().text(), "; " + lock)));
            if (s.setup().filter(sql -> begins(sql.text())).isPresent()) {
                Step first = steps.get(0);
                steps.set(0, with(first, lock + "; " + first.sql().text().strip()));
            }
            return new Session(s.name(), s.setup(), steps, s.teardown(), s.copy(), s.at());
        });
    }

    private static String afterBegin(String sql, String added) {
        StringBuilder text = new StringBuilder(sql);
        List<List<Word>> statements = Words.statements(sql);
        for (int i = statements.size() - 1; i >= 0; i--) {
            List<Word> words = statements.get(i);
            if (isBegin(words)) {
                text.insert(words.get(words.size() - 1).end(), added);
            }
        }
        return text.toString();
    }

    private static String atLevel(String sql, String level) {
        StringBuilder text = new StringBuilder(sql);
        List<List<Word>> statements = Words.statements(sql);
        for (int i = statements.size() - 1; i >= 0; i--) {
            List<Word> words = statements.get(i);
            if (isBegin(words)) {
                String begin = words.get(0).is("start") ? "START TRANSACTION" : "BEGIN";
                text.replace(
                        words.get(0).start(), words.get(words.size() - 1).end(), begin + " ISOLATION LEVEL " + level);
            }
        }
        return text.toString();
    }
}
