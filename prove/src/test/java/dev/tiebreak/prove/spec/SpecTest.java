package dev.tiebreak.prove.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tiebreak.prove.spec.Permutation.Marker;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpecTest {
    private static final String WHOLE = """
            # A comment
            setup
            {
              CREATE TABLE t (a int);
            }
            setup { INSERT INTO t VALUES (1) }
            teardown { DROP TABLE t }

            session ana   # another
            setup { BEGIN }
            step a1 {
              SELECT *
                FROM t
            }
            step "a ""two""\" { COMMIT }
            teardown { SELECT 'bye' }
            session ben
            step permutation$1 { UPDATE t SET a = 2; }
            step b2 { SELECT '#@ no comment' }

            permutation a1 b2(*) "a ""two""\"(b2, permutation$1 notices 2)
            permutation
              b2 a1
            """;

    @Test
    void parse_wholeGrammar_keepsEveryPart() {
        Spec spec = Spec.parse("t.spec", WHOLE);

        assertThat(spec.setup())
                .extracting(Sql::text)
                .containsExactly("\n  CREATE TABLE t (a int);\n", "INSERT INTO t VALUES (1)");
        assertThat(spec.teardown()).map(Sql::text).contains("DROP TABLE t");
        assertThat(spec.sessions()).extracting(Session::name).containsExactly("ana", "ben");
        Session ana = spec.sessions().getFirst();
        assertThat(ana.setup()).map(Sql::text).contains("BEGIN");
        assertThat(ana.teardown()).map(Sql::text).contains("SELECT 'bye'");
        assertThat(spec.steps().keySet()).containsExactly("a1", "a \"two\"", "permutation$1", "b2");
        assertThat(spec.permutations()).hasSize(2);
        assertThat(spec.permutations().getFirst().turns())
                .extracting(Permutation.Turn::markers)
                .containsExactly(
                        List.of(),
                        List.of(new Marker.Once()),
                        List.of(new Marker.After("b2"), new Marker.Notices("permutation$1", 2)));
        assertThat(spec.directives()).isEmpty();
        assertThat(spec.sessionOf("b2").name()).isEqualTo("ben");
        assertThat(spec.unusedSteps()).containsExactly("permutation$1");
    }

    @Test
    void parse_wholeGrammar_knowsEveryPosition() {
        Spec spec = Spec.parse("t.spec", WHOLE);

        assertThat(spec.setup()).extracting(sql -> sql.at().line()).containsExactly(3, 6);
        assertThat(spec.sessions()).extracting(s -> s.at().line()).containsExactly(9, 17);
        Step a1 = spec.sessions().getFirst().steps().getFirst();
        assertThat(a1.at()).hasToString("t.spec:11");
        assertThat(a1.sql().at().line()).isEqualTo(11);
        assertThat(a1.sql().oneLine()).isEqualTo("SELECT * FROM t");
        assertThat(a1.sql().lineOf(a1.sql().text().indexOf('S') + 1).line()).isEqualTo(12);
        assertThat(a1.sql().lineOf(a1.sql().text().indexOf('t') + 1).line()).isEqualTo(13);
        assertThat(a1.sql().lineOf(0).line()).isEqualTo(11);
        assertThat(a1.sql().lineOf(999).line()).isEqualTo(11);
        assertThat(spec.permutations()).extracting(p -> p.at().line()).containsExactly(21, 22);
    }

    @Test
    void parse_windowsLineEnds_areWhiteSpace() {
        Spec spec = Spec.parse("t.spec", "#@ race \"tea\"\r\nsession s\r\nstep a { SELECT 1 }\r\n");

        assertThat(spec.title()).isEqualTo("tea");
        assertThat(spec.sessions().getFirst().at().line()).isEqualTo(2);
    }

    @Test
    void title_withoutRace_isTheFileName() {
        assertThat(Spec.parse("/some/where/t.spec", "session s step a { SELECT 1 }")
                        .title())
                .isEqualTo("t.spec");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``  | t.spec:1: expected setup, teardown or session, found the end of the file",
                "step a { }                                  | t.spec:1: expected setup, teardown or session, found step",
                "session s                                   | t.spec:1: session s has no steps: expected step, found the end of the file",
                "session s step a { } step a { }             | t.spec:1: step a is declared twice",
                "session s step a { } session s step b { }   | t.spec:1: session s is declared twice",
                "session s step a { } permutation b          | t.spec:1: no session has a step b",
                "session s step a { } permutation a(b)       | t.spec:1: no session has a step b",
                "session s step a { } permutation a(a)       | t.spec:1: step a cannot wait for a step of its own session, s",
                "session s step a { } permutation            | t.spec:1: expected a step's name after permutation, found the end of the file",
                "session s step a { } permutation a(         | t.spec:1: expected * or a step's name as marker, found the end of the file",
                "session s step a { } permutation a(* *)     | t.spec:1: expected , or ) after a marker, found *",
                "session s step a { } permutation a(a notices) | t.spec:1: expected a number after notices, found )",
                "session s step a { SELECT 1                 | t.spec:1: the { block does not end; add the closing }",
                "session \"s step a { }                      | t.spec:1: the quoted name does not end on its line; add the closing \"",
                "session s step a { } setup { }              | t.spec:1: expected step, teardown, session, permutation or the end of the file, found setup",
                "session s step a { } ; session t            | t.spec:1: unexpected character ';'",
                "session s step { }                          | t.spec:1: expected a name after step, found a { } block",
                "session s step a b                          | t.spec:1: expected { SQL } after step a, found b",
                "setup 'x'                                   | t.spec:1: unexpected character '''",
            })
    void parse_wrongText_saysWhereAndWhatWasExpected(String text, String message) {
        assertThatThrownBy(() -> Spec.parse("t.spec", text))
                .isInstanceOf(SpecException.class)
                .hasMessage(message);
    }

    @Test
    void parse_faultOnALaterLine_namesThatLine() {
        assertThatThrownBy(() -> Spec.parse("t.spec", "session s\nstep a {\n\n}\n\npermutation a\n  nope\n"))
                .hasMessage("t.spec:7: no session has a step nope");
    }

    @Test
    void read_missingFile_isASetupError() {
        assertThatThrownBy(() -> Spec.read(Path.of("no-such.spec")))
                .isInstanceOf(SpecException.class)
                .hasMessage("no-such.spec:1: no such file");
    }
}
