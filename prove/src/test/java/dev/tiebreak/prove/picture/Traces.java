package dev.tiebreak.prove.picture;

import java.util.List;
import java.util.Optional;

/** Traces that the tests draw. */
final class Traces {
    private Traces() {}

    /** The oversell of the documentation: read, read, write, write. */
    static Trace oversell() {
        List<Event> events = List.of(
                done("ana", "BEGIN"),
                done("ana", "SELECT qty FROM stock", rows("qty", "1")),
                done("ben", "BEGIN"),
                done("ben", "SELECT qty FROM stock", rows("qty", "1")),
                holding("ana", "UPDATE stock SET qty = 0", List.of("stock (1)"), new Outcome.Count(1)),
                committed("ana", "stock (1).qty 1 → 0"),
                holding("ben", "UPDATE stock SET qty = 0", List.of("stock (1)"), new Outcome.Count(1)),
                committed("ben", "orders +1 row"));
        return new Trace(
                "oversell.spec",
                "VIOLATED",
                "40 of 50 interleavings break \"sold = taken\"",
                2,
                List.of("ana", "ben"),
                events,
                List.of(new Table(
                        "stock",
                        List.of("item", "qty"),
                        List.of(row("tea", "0")),
                        "ana, then ben",
                        List.of(row("tea", "-1")))),
                new Reason(
                        "ben read qty before ana wrote it, so ben < ana; but ana wrote qty before ben did, so ana < ben: no"
                                + " order fits",
                        List.of(
                                new Edge("ben", "ana", "read, then written", "ben read qty before ana wrote it"),
                                new Edge("ana", "ben", "written, then written", "ana wrote qty before ben did"))),
                List.of(
                        "FOR NO KEY UPDATE on the read: PROVED (24)",
                        "SERIALIZABLE + retry: PROVED (38)",
                        "REPEATABLE READ + retry: PROVED (38)"),
                "./tiebreak prove --replay oversell.replay");
    }

    /** Three sessions, a wait, an error and markup in every place that takes text. */
    static Trace waiting() {
        List<Event> events = List.of(
                holding("<a>", "UPDATE t SET x = 1 WHERE id < 3", List.of("row of t"), new Outcome.Count(2)),
                new Event(
                        "b&b",
                        "b1",
                        1,
                        "UPDATE t SET x = 2",
                        Event.Kind.WAITS,
                        List.of("<a>"),
                        List.of(),
                        List.of(),
                        List.of()),
                done(
                        "c",
                        "SELECT a, b FROM <t>",
                        new Outcome.Rows(
                                List.of("a", "b"), List.of(row("1", ""), List.of(Optional.empty(), Optional.of("x"))))),
                committed("<a>", "t.x 0 → 1", "t.y <b> → 1"),
                new Event(
                        "b&b",
                        "b1",
                        1,
                        "UPDATE t SET x = 2",
                        Event.Kind.RESUMED,
                        List.of("<a>"),
                        List.of(new Outcome.Count(0)),
                        List.of("row of t"),
                        List.of()),
                done("c", "COMMIT", new Outcome.Failed("40001", "could not serialize access due to <everything>")),
                done("c", "returns", new Outcome.Returned("Taken[left=0]")));
        return new Trace(
                "a & b",
                "VIOLATED",
                "1 of 2 interleavings break \"x < 3\"",
                1,
                List.of("<a>", "b&b", "c"),
                events,
                List.of(new Table("t", List.of("id", "x"), List.of(), "", List.of())),
                new Reason("x < 3 is false", List.of()),
                List.of(),
                "");
    }

    /** Two sessions that wait for each other, after a wait that ended well. */
    static Trace deadlock() {
        Outcome.Failed broken = new Outcome.Failed("40P01", "deadlock detected");
        List<Event> events = List.of(
                waits("ana", "UPDATE x", "eve"),
                committed("eve"),
                resumed("ana", "UPDATE x", "eve", new Outcome.Count(1)),
                waits("ana", "UPDATE b", "ben"),
                waits("ben", "UPDATE a", "ana"),
                resumed("ana", "UPDATE b", "ben", broken),
                resumed("ben", "UPDATE a", "ana", new Outcome.Count(1)));
        return new Trace(
                "deadlock",
                "VIOLATED",
                "1 of 1 interleavings end in error 40P01",
                1,
                List.of("ana", "ben", "eve"),
                events,
                List.of(),
                new Reason("ana fails", List.of()),
                List.of(),
                "");
    }

    static Event waits(String session, String text, String blocker) {
        return new Event(session, text, 1, text, Event.Kind.WAITS, List.of(blocker), List.of(), List.of(), List.of());
    }

    static Event resumed(String session, String text, String blocker, Outcome outcome) {
        return new Event(
                session, text, 1, text, Event.Kind.RESUMED, List.of(blocker), List.of(outcome), List.of(), List.of());
    }

    static Event done(String session, String text, Outcome... outcomes) {
        return holding(session, text, List.of(), outcomes);
    }

    static Event holding(String session, String text, List<String> holds, Outcome... outcomes) {
        return new Event(session, text, 1, text, Event.Kind.DONE, List.of(), List.of(outcomes), holds, List.of());
    }

    static Event committed(String session, String... values) {
        return new Event(
                session,
                "commit",
                1,
                "COMMIT",
                Event.Kind.DONE,
                List.of(),
                List.of(new Outcome.Done()),
                List.of(),
                List.of(values));
    }

    static Outcome.Rows rows(String column, String... values) {
        return new Outcome.Rows(
                List.of(column), List.of(values).stream().map(Traces::row).toList());
    }

    static List<Optional<String>> row(String... values) {
        return List.of(values).stream().map(Optional::of).toList();
    }
}
