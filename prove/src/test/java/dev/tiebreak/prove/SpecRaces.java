package dev.tiebreak.prove;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.prove.spec.Spec;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The sale that the tests of spec files prove, and a database to prove it in. */
record SpecRaces(String url) {
    static final String STOCK = """
            setup { CREATE TABLE stock (item_id int PRIMARY KEY, qty int NOT NULL, sold int NOT NULL DEFAULT 0);
                    INSERT INTO stock VALUES (1, 1, 0); }
            teardown { DROP TABLE stock; }
            """;

    static final String NAIVE = STOCK + buyers("BEGIN", "");

    /** Two buyers who read what is left, and write what is left then. */
    static String buyers(String begin, String lock) {
        StringBuilder text = new StringBuilder("#@ invariant \"sold = taken\" { SELECT qty + sold = 1 FROM stock }\n");
        for (String name : List.of("ana", "ben")) {
            text.append("""
                    session %1$s
                    step %1$s1 { %2$s; }
                    step %1$s2 { SELECT set_config('my.qty', qty::text, false) FROM stock WHERE item_id = 1 %3$s; }
                    step %1$s3 { UPDATE stock SET qty = current_setting('my.qty')::int - 1, sold = sold + 1
                                  WHERE item_id = 1 AND current_setting('my.qty')::int > 0; }
                    step %1$s4 { COMMIT; }
                    """.formatted(name, begin, lock));
        }
        return text.toString();
    }

    Verdict explore(String text) {
        return proof(text).explore();
    }

    SpecProof proof(String text) {
        return SpecProof.of(Spec.parse("race.spec", text), url);
    }

    Verdict.Violated violated(String text) {
        Verdict verdict = explore(text);
        assertThat(verdict).as(verdict.text()).isInstanceOf(Verdict.Violated.class);
        return (Verdict.Violated) verdict;
    }

    void assertNothingLeft() throws SQLException {
        try (Connection c = DriverManager.getConnection(url);
                Statement s = c.createStatement();
                ResultSet r = s.executeQuery("""
                        SELECT (SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'tiebreak%')
                             + (SELECT count(*) FROM pg_class WHERE relname IN ('stock', 'copy'))""")) {
            r.next();
            assertThat(r.getLong(1)).isZero();
        }
    }
}
