package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.spec.Session;
import dev.tiebreak.prove.spec.Step;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plays the steps of a spec file's session, with the retries that the file asks for. */
final class SpecScript implements Actor.Script {
    private final Session session;
    private final Link link;
    private final Rules rules;
    private final List<Op> ops = new ArrayList<>();

    /** A script of these steps, which need not be all of the session's. */
    SpecScript(Session session, List<Step> steps, Link link, Rules rules) {
        this.session = session;
        this.link = link;
        this.rules = rules;
        List<String> texts =
                new ArrayList<>(steps.stream().map(s -> s.sql().text()).toList());
        session.teardown().ifPresent(sql -> texts.add(sql.text()));
        for (int i = 0; i < texts.size(); i++) {
            String name = i < steps.size() ? steps.get(i).name() : "teardown";
            ops.add(Op.step(name, texts.get(i), i, following(texts, i)));
        }
    }

    /** What follows a step up to the first that others can notice; the engine asks for it if the step itself is local. */
    private static String following(List<String> texts, int i) {
        StringBuilder all = new StringBuilder();
        for (String text : texts.subList(i + 1, texts.size())) {
            all.append(text).append(";\n");
            if (!Access.isLocal(text)) {
                break;
            }
        }
        return all.toString();
    }

    @Override
    public void play(Actor actor) throws SQLException {
        int at = 0;
        int began = 0;
        while (at < ops.size()) {
            if (link.phase() == Link.Phase.IDLE) {
                began = at;
                actor.beginning();
            }
            SQLException failure = tried(actor, ops.get(at));
            if (failure == null) {
                at++;
                continue;
            }
            if (!again(actor, failure, ops.get(at))) {
                return;
            }
            at = began;
            if (at == 0) {
                setUpAgain(actor);
            }
        }
        if (link.phase() != Link.Phase.IDLE) {
            rollBack(actor, "ROLLBACK, as the session ended inside its transaction");
        }
    }

    private @Nullable SQLException tried(Actor actor, Op op) throws SQLException {
        try {
            actor.perform(op, link, answers -> answers.addAll(link.execute(op.sql())));
            return null;
        } catch (SQLException e) {
            return e;
        }
    }

    /** Whether the transaction may be run again after this error; it has been rolled back then. */
    private boolean again(Actor actor, SQLException failure, Op op) throws SQLException {
        String state = failure.getSQLState() == null ? "" : failure.getSQLState();
        if (state.startsWith("08") || state.equals("57P01")) {
            throw new RaceException(
                    session.name(),
                    op.name(),
                    "step " + op.name() + " lost its connection: " + failure.getMessage(),
                    failure);
        }
        int retries = rules.retries(session.name(), state);
        if (retries < 0) {
            actor.complain(state, Conductor.message(failure));
        } else if (retries > 0 && actor.attempt() > retries) {
            actor.complain(state, "still fails after " + retries + " retries: " + Conductor.message(failure));
        }
        if (retries <= 0 || actor.attempt() > retries) {
            if (retries == 0) {
                actor.lost();
            }
            if (link.phase() != Link.Phase.IDLE) {
                rollBack(actor, "ROLLBACK");
            }
            return false;
        }
        if (link.phase() != Link.Phase.IDLE) {
            rollBack(actor, "ROLLBACK, and again from the start");
        }
        actor.retrying();
        return true;
    }

    private void rollBack(Actor actor, String shown) throws SQLException {
        actor.performAtOnce(Op.step("", shown, -1, null), link, answers -> {
            // Counters of the failed attempt must not be taken for those of the next.
            link.run("ROLLBACK; SELECT pg_stat_force_next_flush()");
            answers.add(new Answer.Done());
            return answers;
        });
    }

    private void setUpAgain(Actor actor) throws SQLException {
        if (session.setup().isPresent()) {
            String sql = session.setup().get().text();
            String first = ops.get(0).sql();
            Op op = Op.step(
                    "",
                    sql,
                    -1,
                    Access.isLocal(first) ? first + ";\n" + ops.get(0).following() : first);
            actor.beginning();
            actor.perform(op, link, answers -> answers.addAll(link.execute(sql)));
        }
    }
}
