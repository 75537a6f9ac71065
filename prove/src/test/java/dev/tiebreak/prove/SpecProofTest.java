package dev.tiebreak.prove;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.embedded.Server;
import dev.tiebreak.prove.spec.Spec;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SpecProofTest {
    private static String url = "";

    @BeforeAll
    static void database() {
        url = Server.shared(Server.NEWEST).newDatabase();
    }

    private static Verdict explore(String text) {
        return SpecProof.of(Spec.parse("race.spec", text), url).explore();
    }

    private static final String STOCK = """
            setup { CREATE TABLE stock (item_id int PRIMARY KEY, qty int NOT NULL, sold int NOT NULL DEFAULT 0);
                    INSERT INTO stock VALUES (1, 1, 0); }
            teardown { DROP TABLE stock; }
            """;

    private static final String NAIVE = STOCK + """
            #@ invariant "sold = taken" { SELECT qty + sold = 1 FROM stock }
            session ana
            step a1 { BEGIN; }
            step a2 { SELECT qty FROM stock WHERE item_id = 1; }
            step a3 { UPDATE stock SET qty = 0, sold = sold + 1 WHERE item_id = 1; }
            step a4 { COMMIT; }
            session ben
            step b1 { BEGIN; }
            step b2 { SELECT qty FROM stock WHERE item_id = 1; }
            step b3 { UPDATE stock SET qty = 0, sold = sold + 1 WHERE item_id = 1; }
            step b4 { COMMIT; }
            """;

    @Test
    void explore_naiveSale_isViolated() {
        Verdict verdict = explore(NAIVE);
        System.out.println(verdict.text() + "\n" + verdict);
        assertThat(verdict.word()).isEqualTo("VIOLATED");
    }

    @Test
    void explore_conditionalUpdate_isProved() {
        Verdict verdict = explore(STOCK + """
                #@ invariant "never below zero" { SELECT qty >= 0 FROM stock }
                #@ sometimes "someone waited"
                session ana
                step a1 { BEGIN; }
                step a2 { UPDATE stock SET qty = qty - 1 WHERE item_id = 1 AND qty > 0; }
                step a3 { COMMIT; }
                session ben
                step b1 { BEGIN; }
                step b2 { UPDATE stock SET qty = qty - 1 WHERE item_id = 1 AND qty > 0; }
                step b3 { COMMIT; }
                """);
        System.out.println(verdict.text() + "\n" + verdict);
        assertThat(verdict.word()).isEqualTo("PROVED");
    }
}
