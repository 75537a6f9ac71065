package dev.tiebreak.prove.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.tiebreak.prove.spec.Directive.Errors;
import dev.tiebreak.prove.spec.Directive.Event;
import dev.tiebreak.prove.spec.Directive.IgnoreResult;
import dev.tiebreak.prove.spec.Directive.Invariant;
import dev.tiebreak.prove.spec.Directive.SerialEquivalent;
import dev.tiebreak.prove.spec.Directive.Sessions;
import dev.tiebreak.prove.spec.Directive.Sight;
import dev.tiebreak.prove.spec.Directive.Sometimes;
import dev.tiebreak.prove.spec.Directive.State;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DirectivesTest {
    private static final String SESSIONS = """

            session ana
            step a1 { SELECT 1 }
            step a2 { SELECT 2 }
            session ben
            step b1 { SELECT 1 }
            """;

    private static Spec spec(String directive) {
        return Spec.parse("t.spec", directive + SESSIONS);
    }

    @Test
    void parse_everyDirective_isARecordWithItsPlace() {
        Spec spec = spec("""
                #@ race "tea sale"
                #@ invariant "no { oversell" { SELECT '}' = '}' }
                  #@   invariant always "never negative" { SELECT min(qty) >= 0 FROM stock }
                #@ serial-equivalent writers
                #@ state { SELECT 1 }
                #@ ignore-result a1 b1
                #@ errors allow 40001 40P01 retries 3
                #@ errors allow 23505 for ben
                #@ sometimes "someone waited"
                #@ sometimes "ben failed"
                #@ sometimes "ben lost" { SELECT true }
                # plain comment
                """);

        assertThat(spec.title()).isEqualTo("tea sale");
        assertThat(spec.directives(Invariant.class))
                .extracting(Invariant::name, Invariant::always, i -> i.sql().text(), i -> i.at().line())
                .containsExactly(
                        tuple("no { oversell", false, "SELECT '}' = '}'", 2),
                        tuple("never negative", true, "SELECT min(qty) >= 0 FROM stock", 3));
        assertThat(spec.directives(SerialEquivalent.class))
                .extracting(SerialEquivalent::mode)
                .containsExactly(SerialEquivalent.Mode.WRITERS);
        assertThat(spec.directives(State.class)).extracting(s -> s.sql().text()).containsExactly("SELECT 1");
        assertThat(spec.directives(IgnoreResult.class))
                .extracting(IgnoreResult::steps)
                .containsExactly(Set.of("a1", "b1"));
        assertThat(spec.directives(Errors.class))
                .containsExactly(
                        new Errors(Set.of("40001", "40P01"), 3, Set.of(), new Position("t.spec", 7)),
                        new Errors(Set.of("23505"), 0, Set.of("ben"), new Position("t.spec", 8)));
        assertThat(spec.directives(Sometimes.class))
                .extracting(Sometimes::what)
                .containsExactly(
                        new Sight.Happened(Event.WAITED, Set.of()),
                        new Sight.Happened(Event.FAILED, Set.of("ben")),
                        new Sight.Query(new Sql("SELECT true", new Position("t.spec", 11))));
        assertThat(spec.directives()).hasSize(11);
    }

    @Test
    void parse_errorsAllowNone_allowsNothing() {
        assertThat(spec("#@ errors allow none").directives(Errors.class))
                .containsExactly(new Errors(Set.of(), 0, Set.of(), new Position("t.spec", 1)));
    }

    @Test
    void parse_copiedSession_isExpandedAndRenamed() {
        Spec spec = spec("""
                #@ sessions 3 of ana
                #@ ignore-result a2 ana#2.a1
                #@ errors allow 40001 for ana
                """);

        assertThat(spec.sessions())
                .extracting(Session::name, Session::copy)
                .containsExactly(tuple("ana#1", 1), tuple("ana#2", 2), tuple("ana#3", 3), tuple("ben", 0));
        assertThat(spec.steps().keySet())
                .containsExactly("ana#1.a1", "ana#1.a2", "ana#2.a1", "ana#2.a2", "ana#3.a1", "ana#3.a2", "b1");
        assertThat(spec.directives(IgnoreResult.class))
                .extracting(IgnoreResult::steps)
                .containsExactly(Set.of("ana#1.a2", "ana#2.a2", "ana#3.a2", "ana#2.a1"));
        assertThat(spec.directives(Errors.class))
                .extracting(Errors::sessions)
                .containsExactly(Set.of("ana#1", "ana#2", "ana#3"));
        assertThat(spec.directives(Sessions.class))
                .extracting(Sessions::copies)
                .containsExactly(List.of("ana#1", "ana#2", "ana#3"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "#@ inviariant \"x\" { SELECT true } | unknown directive #@ inviariant; known are race, invariant, serial-equivalent, state, ignore-result, errors, sometimes, sessions",
                "#@ | expected a directive after #@: race, invariant, serial-equivalent, state, ignore-result, errors, sometimes, sessions",
                "#@ race tea | expected #@ race \"name\", found tea",
                "#@ race | expected one name in quotes, #@ race \"name\"",
                "#@ race \"tea\" { SELECT 1 } | #@ race takes no { }",
                "#@ invariant \"x\" | expected { SQL } on the same line",
                "#@ invariant \"x\" { } | expected { SQL } on the same line",
                "#@ invariant \"x\" { SELECT true } please | the { of a directive has to end in a } at the end of its line",
                "#@ invariant { SELECT true } | expected one name in quotes, #@ invariant \"name\"",
                "#@ invariant never \"x\" { SELECT true } | expected #@ invariant [always] \"name\" { SELECT … }, found never",
                "#@ invariant \"x { SELECT true } | cannot read \"x { SELECT true } in this directive",
                "#@ serial-equivalent maybe | expected #@ serial-equivalent on, writers or off",
                "#@ state | expected { SQL } on the same line",
                "#@ ignore-result | expected the names of steps",
                "#@ ignore-result c9 | no step c9",
                "#@ ignore-result a1 { SELECT 1 } | #@ ignore-result takes no { }",
                "#@ errors | expected #@ errors allow none, or SQLSTATEs [retries N] [for SESSION …]",
                "#@ errors allow 4000 | 4000 is no SQLSTATE (five digits or capitals, such as 40001) and not none",
                "#@ errors allow none retries 3 | none cannot be retried; name the SQLSTATEs, such as 40001 40P01",
                "#@ errors allow 40001 retries 0 | retries takes 1 to 100, not 0",
                "#@ errors allow 40001 retries many | retries takes 1 to 100, not many",
                "#@ errors allow 40001 retries | expected SQLSTATEs [retries N] [for SESSION …], found retries",
                "#@ errors allow 40001 for eve | no session eve",
                "#@ sometimes \"it rains\" | add { SELECT … }, or name it \"someone waited\", \"SESSION waited\" (or retried, failed)",
                "#@ sometimes \"eve waited\" | no session eve",
                "#@ sessions ana | expected #@ sessions N of SESSION",
                "#@ sessions 1 of ana | #@ sessions takes 2 to 9 copies, not 1",
                "#@ sessions 2 of eve | no session eve",
            })
    void parse_wrongDirective_saysWhatWasExpected(String directive, String message) {
        assertThatThrownBy(() -> spec(directive))
                .isInstanceOf(SpecException.class)
                .hasMessage("t.spec:1: " + message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"race \"a\"", "state { SELECT 1 }", "serial-equivalent on"})
    void parse_directiveThatStandsTwice_isRefusedAtItsSecondPlace(String directive) {
        assertThatThrownBy(() -> spec("#@ " + directive + "\n#@ " + directive))
                .hasMessageStartingWith("t.spec:2: #@ ")
                .hasMessageEndingWith(" stands here a second time; keep one");
    }

    @Test
    void parse_copiesWithAPermutation_areRefused() {
        assertThatThrownBy(() -> Spec.parse("t.spec", "#@ sessions 2 of ana" + SESSIONS + "permutation a1 b1 a2\n"))
                .hasMessageStartingWith("t.spec:1: #@ sessions cannot stand with a permutation line");
    }

    @Test
    void parse_sessionCopiedTwice_isRefused() {
        assertThatThrownBy(() -> spec("#@ sessions 2 of ana\n#@ sessions 3 of ana"))
                .hasMessage("t.spec:2: session ana is copied twice");
    }
}
