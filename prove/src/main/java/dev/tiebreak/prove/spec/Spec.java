package dev.tiebreak.prove.spec;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A parsed spec file: sessions with their steps, what surrounds them, and what is to be proved.
 *
 * <p>The format is that of PostgreSQL's isolation tester (its README in {@code src/test/isolation}), complete and
 * unmodified; {@link Directive}s live in its comments. Immutable.
 *
 * @param file the file as the user named it
 * @param setup run in order before every run, by a connection of its own
 * @param teardown run after every run
 * @param sessions at least one, in the order of the file, copies in place of their original
 * @param permutations the orders that the file asks for; none means every order
 * @param directives in the order of the file
 */
public record Spec(
        String file,
        List<Sql> setup,
        Optional<Sql> teardown,
        List<Session> sessions,
        List<Permutation> permutations,
        List<Directive> directives) {
    /** Takes copies of the lists. */
    public Spec {
        setup = List.copyOf(setup);
        sessions = List.copyOf(sessions);
        permutations = List.copyOf(permutations);
        directives = List.copyOf(directives);
    }

    /**
     * Reads and parses a file in UTF-8.
     *
     * @throws SpecException if it is missing, unreadable or wrong
     */
    public static Spec read(Path path) {
        return parse(path.toString(), text(path));
    }

    /**
     * Parses the text of a file.
     *
     * @param file what messages call it
     * @throws SpecException if it is wrong
     */
    public static Spec parse(String file, String text) {
        Parser parser = new Parser(file, text);
        return Directives.applyTo(parser.parse(), parser.comments());
    }

    /**
     * Reads a file as the stock tester does: {@code #@} lines are comments like any other.
     *
     * @throws SpecException if it is missing, unreadable or wrong
     */
    public static Spec readStock(Path path) {
        return new Parser(path.toString(), text(path)).parse();
    }

    /** The steps of all sessions by name, in the order of the file. */
    public Map<String, Step> steps() {
        Map<String, Step> steps = new LinkedHashMap<>();
        sessions.forEach(session -> session.steps().forEach(step -> steps.put(step.name(), step)));
        return steps;
    }

    /** The session to which a step belongs. */
    public Session sessionOf(String step) {
        return sessions.stream()
                .filter(session ->
                        session.steps().stream().anyMatch(s -> s.name().equals(step)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(file + " has no step " + step));
    }

    /** The names of steps that no permutation uses; none if there are no permutations. */
    public List<String> unusedSteps() {
        if (permutations.isEmpty()) {
            return List.of();
        }
        List<String> unused = new ArrayList<>(steps().keySet());
        permutations.forEach(p -> p.turns().forEach(turn -> unused.remove(turn.step())));
        return unused;
    }

    /** The directives of one kind, in the order of the file. */
    public <D extends Directive> List<D> directives(Class<D> kind) {
        return directives.stream()
                .flatMap(d -> kind.isInstance(d) ? Stream.of(kind.cast(d)) : Stream.empty())
                .toList();
    }

    /** The name that reports use: that of {@code #@ race}, or else the file's. */
    public String title() {
        return directives(Directive.Race.class).stream()
                .map(Directive.Race::name)
                .findFirst()
                .orElse(file.substring(file.lastIndexOf('/') + 1));
    }

    private static String text(Path path) {
        Position start = new Position(path.toString(), 1);
        try {
            return Files.readString(path);
        } catch (NoSuchFileException e) {
            throw new SpecException(start, "no such file", e);
        } catch (CharacterCodingException e) {
            throw new SpecException(start, "not UTF-8", e);
        } catch (IOException e) {
            throw new SpecException(start, "cannot be read: " + e.getMessage(), e);
        }
    }
}
