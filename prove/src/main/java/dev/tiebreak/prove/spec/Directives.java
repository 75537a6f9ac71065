package dev.tiebreak.prove.spec;

import dev.tiebreak.prove.spec.Directive.Event;
import dev.tiebreak.prove.spec.Directive.SerialEquivalent.Mode;
import dev.tiebreak.prove.spec.Directive.Sight;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses {@code #@} lines and applies them to the spec that holds them. */
final class Directives {
    private static final int MAX_COPIES = 9;
    private static final int MAX_RETRIES = 100;
    private static final Pattern SQLSTATE = Pattern.compile("[0-9A-Z]{5}");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,6}");
    private static final Pattern HAPPENED = Pattern.compile("(\\S+) (waited|retried|failed)");
    private static final String ALL =
            "race, invariant, serial-equivalent, state, ignore-result, errors, sometimes, sessions";

    private final Spec spec;
    /** The names that stand for a declared session, or for a step, once sessions are copied. */
    private final Map<String, List<String>> sessions = new LinkedHashMap<>();

    private final Map<String, List<String>> steps = new LinkedHashMap<>();
    private final List<Session> copied = new ArrayList<>();

    private Directives(Spec spec) {
        this.spec = spec;
    }

    /** The spec with its sessions copied and its directives in place. */
    static Spec applyTo(Spec spec, List<Lexer.Comment> comments) {
        return new Directives(spec).apply(comments);
    }

    private Spec apply(List<Lexer.Comment> comments) {
        List<Line> lines = comments.stream().map(Line::of).toList();
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (Line line : lines) {
            if (line.keyword.equals("sessions")) {
                count(line, counts);
            }
        }
        for (Session session : spec.sessions()) {
            copy(session, counts.getOrDefault(session.name(), 1));
        }
        List<Directive> directives = new ArrayList<>();
        Set<String> once = new HashSet<>();
        for (Line line : lines) {
            if (Set.of("race", "state", "serial-equivalent").contains(line.keyword) && !once.add(line.keyword)) {
                throw line.wrong("#@ " + line.keyword + " stands here a second time; keep one");
            }
            directives.add(directive(line));
        }
        return new Spec(spec.file(), spec.setup(), spec.teardown(), copied, spec.permutations(), directives);
    }

    private void count(Line line, Map<String, Integer> counts) {
        List<String> words = line.words();
        boolean shaped = words.size() == 3
                && NUMBER.matcher(words.get(0)).matches()
                && words.get(1).equals("of");
        if (!shaped || line.sql.isPresent()) {
            throw line.wrong("expected #@ sessions N of SESSION");
        }
        int count = Integer.parseInt(words.get(0));
        if (count < 2 || count > MAX_COPIES) {
            throw line.wrong("#@ sessions takes 2 to " + MAX_COPIES + " copies, not " + count);
        }
        String name = words.get(2);
        if (spec.sessions().stream().noneMatch(s -> s.name().equals(name))) {
            throw line.wrong("no session " + name);
        }
        if (counts.put(name, count) != null) {
            throw line.wrong("session " + name + " is copied twice");
        }
        if (!spec.permutations().isEmpty()) {
            throw line.wrong(
                    "#@ sessions cannot stand with a permutation line, which names the steps of single sessions");
        }
    }

    private void copy(Session session, int count) {
        List<String> names = new ArrayList<>();
        for (int copy = 1; copy <= count; copy++) {
            Session one = count == 1 ? session : copy(session, copy, session.name() + "#" + copy);
            copied.add(one);
            names.add(one.name());
            for (int i = 0; i < session.steps().size(); i++) {
                steps.computeIfAbsent(session.steps().get(i).name(), name -> new ArrayList<>())
                        .add(one.steps().get(i).name());
            }
        }
        sessions.put(session.name(), names);
    }

    private static Session copy(Session session, int copy, String name) {
        List<Step> steps = session.steps().stream()
                .map(step -> new Step(name + "." + step.name(), step.sql(), step.at()))
                .toList();
        return new Session(name, session.setup(), steps, session.teardown(), copy, session.at());
    }

    private Directive directive(Line line) {
        return switch (line.keyword) {
            case "race" -> new Directive.Race(line.onlyName(), line.at);
            case "invariant" -> invariant(line);
            case "serial-equivalent" -> new Directive.SerialEquivalent(mode(line), line.at);
            case "state" -> {
                line.expectNoWords("#@ state { SELECT … }");
                yield new Directive.State(line.needSql(), line.at);
            }
            case "ignore-result" -> {
                line.expectNoSql();
                yield new Directive.IgnoreResult(names(line, line.words(), steps, "step"), line.at);
            }
            case "errors" -> errors(line);
            case "sometimes" -> sometimes(line);
            case "sessions" -> {
                String session = line.words().get(2);
                List<String> copies = sessions.getOrDefault(session, List.of());
                yield new Directive.Sessions(copies.size(), session, copies, line.at);
            }
            default -> throw line.wrong("unknown directive #@ " + line.keyword + "; known are " + ALL);
        };
    }

    private static Directive invariant(Line line) {
        boolean always = line.words().equals(List.of("always"));
        if (!always) {
            line.expectNoWords("#@ invariant [always] \"name\" { SELECT … }");
        }
        return new Directive.Invariant(line.needName(), always, line.needSql(), line.at);
    }

    private static Mode mode(Line line) {
        for (Mode mode : Mode.values()) {
            if (line.words().equals(List.of(mode.name().toLowerCase(Locale.ROOT))) && line.sql.isEmpty()) {
                return mode;
            }
        }
        throw line.wrong("expected #@ serial-equivalent on, writers or off");
    }

    private Directive errors(Line line) {
        List<String> words = line.words();
        if (words.size() < 2 || !words.getFirst().equals("allow") || line.sql.isPresent()) {
            throw line.wrong("expected #@ errors allow none, or SQLSTATEs [retries N] [for SESSION …]");
        }
        int next = 1;
        Set<String> states = new LinkedHashSet<>();
        while (next < words.size() && SQLSTATE.matcher(words.get(next)).matches()) {
            states.add(words.get(next++));
        }
        if (states.isEmpty() && words.get(next).equals("none")) {
            next++;
        } else if (states.isEmpty()) {
            throw line.wrong(words.get(next) + " is no SQLSTATE (five digits or capitals, such as 40001) and not none");
        }
        int retries = 0;
        if (next + 1 < words.size() && words.get(next).equals("retries")) {
            retries = retries(line, words.get(next + 1), states);
            next += 2;
        }
        Set<String> who = Set.of();
        if (next + 1 < words.size() && words.get(next).equals("for")) {
            who = names(line, words.subList(next + 1, words.size()), sessions, "session");
            next = words.size();
        }
        if (next < words.size()) {
            throw line.wrong("expected SQLSTATEs [retries N] [for SESSION …], found " + words.get(next));
        }
        return new Directive.Errors(states, retries, who, line.at);
    }

    private static int retries(Line line, String word, Set<String> states) {
        if (states.isEmpty()) {
            throw line.wrong("none cannot be retried; name the SQLSTATEs, such as 40001 40P01");
        }
        int retries = NUMBER.matcher(word).matches() ? Integer.parseInt(word) : 0;
        if (retries < 1 || retries > MAX_RETRIES) {
            throw line.wrong("retries takes 1 to " + MAX_RETRIES + ", not " + word);
        }
        return retries;
    }

    private Directive sometimes(Line line) {
        line.expectNoWords("#@ sometimes \"name\" { SELECT … }");
        String name = line.needName();
        if (line.sql.isPresent()) {
            return new Directive.Sometimes(name, new Sight.Query(line.needSql()), line.at);
        }
        Matcher happened = HAPPENED.matcher(name);
        if (!happened.matches()) {
            throw line.wrong(
                    "add { SELECT … }, or name it \"someone waited\", \"SESSION waited\" (or retried, failed)");
        }
        String who = happened.group(1);
        Set<String> whom = who.equals("someone") && !sessions.containsKey(who)
                ? Set.of()
                : names(line, List.of(who), sessions, "session");
        Event event = Event.valueOf(happened.group(2).toUpperCase(Locale.ROOT));
        return new Directive.Sometimes(name, new Sight.Happened(event, whom), line.at);
    }

    private Set<String> names(Line line, List<String> words, Map<String, List<String>> known, String what) {
        if (words.isEmpty()) {
            throw line.wrong("expected the names of " + what + "s");
        }
        Set<String> names = new LinkedHashSet<>();
        for (String word : words) {
            List<String> all = known.get(word);
            if (all != null) {
                names.addAll(all);
            } else if (known.values().stream().anyMatch(copies -> copies.contains(word))) {
                names.add(word);
            } else {
                throw line.wrong("no " + what + " " + word);
            }
        }
        return names;
    }

    /** One directive, taken apart: a keyword, words, perhaps a quoted name, perhaps SQL. */
    private record Line(String keyword, List<Word> all, Optional<Sql> sql, Position at) {
        private record Word(String text, boolean quoted) {}

        private static final Pattern WORD = Pattern.compile("\"((?:[^\"]|\"\")*)\"|([^\\s\"{}]+)");

        static Line of(Lexer.Comment comment) {
            Position at = comment.at();
            String text = comment.text();
            int open = openingBrace(text);
            Optional<Sql> sql = Optional.empty();
            String head = text;
            if (open >= 0) {
                int close = text.lastIndexOf('}');
                if (close != text.length() - 1) {
                    throw new SpecException(at, "the { of a directive has to end in a } at the end of its line");
                }
                sql = Optional.of(new Sql(text.substring(open + 1, close).strip(), at));
                head = text.substring(0, open);
            }
            List<Word> words = words(head, at);
            if (words.isEmpty() || words.getFirst().quoted) {
                throw new SpecException(at, "expected a directive after #@: " + ALL);
            }
            return new Line(words.getFirst().text, words.subList(1, words.size()), sql, at);
        }

        private static int openingBrace(String text) {
            boolean quoted = false;
            for (int i = 0; i < text.length(); i++) {
                quoted ^= text.charAt(i) == '"';
                if (!quoted && text.charAt(i) == '{') {
                    return i;
                }
            }
            return -1;
        }

        private static List<Word> words(String head, Position at) {
            List<Word> words = new ArrayList<>();
            Matcher matcher = WORD.matcher(head);
            int end = 0;
            while (matcher.find() && head.substring(end, matcher.start()).isBlank()) {
                words.add(
                        matcher.group(1) == null
                                ? new Word(matcher.group(2), false)
                                : new Word(matcher.group(1).replace("\"\"", "\""), true));
                end = matcher.end();
            }
            if (!head.substring(end).isBlank()) {
                throw new SpecException(at, "cannot read " + head.substring(end).strip() + " in this directive");
            }
            return words;
        }

        /** The words; of {@code race}, {@code invariant} and {@code sometimes} those without the quoted name. */
        List<String> words() {
            boolean named = Set.of("race", "invariant", "sometimes").contains(keyword);
            return all.stream().filter(w -> !named || !w.quoted).map(Word::text).toList();
        }

        String needName() {
            List<Word> quoted = all.stream().filter(Word::quoted).toList();
            if (quoted.size() != 1
                    || !all.getLast().quoted
                    || quoted.getFirst().text.isBlank()) {
                throw wrong("expected one name in quotes, #@ " + keyword + " \"name\"");
            }
            return quoted.getFirst().text;
        }

        String onlyName() {
            expectNoWords("#@ " + keyword + " \"name\"");
            expectNoSql();
            return needName();
        }

        Sql needSql() {
            return sql.filter(s -> !s.text().isBlank()).orElseThrow(() -> wrong("expected { SQL } on the same line"));
        }

        void expectNoWords(String shape) {
            if (!words().isEmpty()) {
                throw wrong("expected " + shape + ", found " + words().getFirst());
            }
        }

        void expectNoSql() {
            if (sql.isPresent()) {
                throw wrong("#@ " + keyword + " takes no { }");
            }
        }

        SpecException wrong(String what) {
            return new SpecException(at, what);
        }
    }
}
