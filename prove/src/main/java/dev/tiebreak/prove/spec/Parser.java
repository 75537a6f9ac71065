package dev.tiebreak.prove.spec;

import dev.tiebreak.prove.spec.Permutation.Marker;
import dev.tiebreak.prove.spec.Permutation.Turn;
import dev.tiebreak.prove.spec.Token.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/*
 * The grammar, as the isolation tester's README gives it:
 *
 *   spec        = setup* [teardown] session+ permutation*
 *   setup       = "setup" block
 *   teardown    = "teardown" block
 *   session     = "session" name [setup] step+ [teardown]
 *   step        = "step" name block
 *   permutation = "permutation" turn+
 *   turn        = name ["(" marker ("," marker)* ")"]
 *   marker      = "*" | name ["notices" number]
 */
/** Parses one spec file; checks that every name it uses is declared, and declared once. */
final class Parser {
    private final String file;
    private final List<Token> tokens;
    private final List<Lexer.Comment> comments;
    private int next;

    Parser(String file, String text) {
        Lexer lexer = new Lexer(file, text);
        this.file = file;
        this.tokens = lexer.tokens();
        this.comments = lexer.comments();
    }

    List<Lexer.Comment> comments() {
        return comments;
    }

    Spec parse() {
        List<Sql> setup = new ArrayList<>();
        while (skip("setup")) {
            setup.add(block("setup"));
        }
        Optional<Sql> teardown = optional("teardown");
        List<Session> sessions = new ArrayList<>();
        while (peek("session")) {
            sessions.add(session());
        }
        if (sessions.isEmpty()) {
            throw wrong("expected setup, teardown or session");
        }
        List<Permutation> permutations = new ArrayList<>();
        while (peek("permutation")) {
            permutations.add(permutation());
        }
        if (current().kind() != Kind.END) {
            throw wrong(
                    permutations.isEmpty()
                            ? "expected step, teardown, session, permutation or the end of the file"
                            : "expected a step's name, permutation or the end of the file");
        }
        checkNames(sessions, permutations);
        return new Spec(file, setup, teardown, sessions, permutations, List.of());
    }

    private Session session() {
        Position at = take().at();
        String name = name("session");
        Optional<Sql> setup = optional("setup");
        List<Step> steps = new ArrayList<>();
        while (peek("step")) {
            Position stepAt = take().at();
            String step = name("step");
            steps.add(new Step(step, block("step " + step), stepAt));
        }
        if (steps.isEmpty()) {
            throw wrong("session " + name + " has no steps: expected step");
        }
        return new Session(name, setup, steps, optional("teardown"), 0, at);
    }

    private Permutation permutation() {
        Position at = take().at();
        List<Turn> turns = new ArrayList<>();
        while (current().isName() && !peek("permutation")) {
            Token step = take();
            turns.add(new Turn(step.text(), markers(), step.at()));
        }
        if (turns.isEmpty()) {
            throw wrong("expected a step's name after permutation");
        }
        return new Permutation(turns, at);
    }

    private List<Marker> markers() {
        List<Marker> markers = new ArrayList<>();
        if (skipSign("(")) {
            do {
                markers.add(marker());
            } while (skipSign(","));
            if (!skipSign(")")) {
                throw wrong("expected , or ) after a marker");
            }
        }
        return markers;
    }

    private Marker marker() {
        if (skipSign("*")) {
            return new Marker.Once();
        }
        if (!current().isName()) {
            throw wrong("expected * or a step's name as marker");
        }
        String step = take().text();
        if (!skip("notices")) {
            return new Marker.After(step);
        }
        if (current().kind() != Kind.NUMBER) {
            throw wrong("expected a number after notices");
        }
        Token number = take();
        try {
            return new Marker.Notices(step, Integer.parseInt(number.text()));
        } catch (NumberFormatException e) {
            throw new SpecException(number.at(), number.text() + " notices are too many", e);
        }
    }

    private static void checkNames(List<Session> sessions, List<Permutation> permutations) {
        Set<String> names = new HashSet<>();
        Map<String, String> sessionOfStep = new HashMap<>();
        for (Session session : sessions) {
            if (!names.add(session.name())) {
                throw new SpecException(session.at(), "session " + session.name() + " is declared twice");
            }
            for (Step step : session.steps()) {
                if (sessionOfStep.put(step.name(), session.name()) != null) {
                    throw new SpecException(step.at(), "step " + step.name() + " is declared twice");
                }
            }
        }
        permutations.forEach(p -> p.turns().forEach(turn -> check(turn, sessionOfStep)));
    }

    private static void check(Turn turn, Map<String, String> sessionOfStep) {
        String session = known(turn.step(), turn, sessionOfStep);
        for (Marker marker : turn.markers()) {
            String other =
                    switch (marker) {
                        case Marker.Once once -> "";
                        case Marker.After after -> known(after.step(), turn, sessionOfStep);
                        case Marker.Notices notices -> known(notices.step(), turn, sessionOfStep);
                    };
            if (other.equals(session)) {
                throw new SpecException(
                        turn.at(), "step " + turn.step() + " cannot wait for a step of its own session, " + session);
            }
        }
    }

    private static String known(String step, Turn turn, Map<String, String> sessionOfStep) {
        String session = sessionOfStep.get(step);
        if (session == null) {
            throw new SpecException(turn.at(), "no session has a step " + step);
        }
        return session;
    }

    private Optional<Sql> optional(String keyword) {
        return skip(keyword) ? Optional.of(block(keyword)) : Optional.empty();
    }

    private Sql block(String of) {
        if (current().kind() != Kind.BLOCK) {
            throw wrong("expected { SQL } after " + of);
        }
        Token block = take();
        return new Sql(block.text(), block.at());
    }

    private String name(String of) {
        if (!current().isName()) {
            throw wrong("expected a name after " + of);
        }
        return take().text();
    }

    private boolean peek(String keyword) {
        return current().is(Kind.WORD, keyword);
    }

    private boolean skip(String keyword) {
        boolean there = peek(keyword);
        next += there ? 1 : 0;
        return there;
    }

    private boolean skipSign(String sign) {
        boolean there = current().is(Kind.SIGN, sign);
        next += there ? 1 : 0;
        return there;
    }

    private Token take() {
        return tokens.get(next++);
    }

    private Token current() {
        return tokens.get(next);
    }

    private SpecException wrong(String expected) {
        return new SpecException(
                current().at(), expected + ", found " + current().shown());
    }
}
