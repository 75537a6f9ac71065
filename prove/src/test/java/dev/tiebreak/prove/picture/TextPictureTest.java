package dev.tiebreak.prove.picture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextPictureTest {
    @Test
    void text_oversell_isThePictureOfTheDocumentation() {
        assertThat(Picture.text(Traces.oversell())).isEqualTo("""
                        VIOLATED  oversell.spec   40 of 50 interleavings break "sold = taken"   fewest switches: 2
                          ana                                              ben
                          BEGIN
                          SELECT qty FROM stock      → 1
                                                                           BEGIN
                                                                           SELECT qty FROM stock      → 1
                          UPDATE stock SET qty = 0   1 row
                          COMMIT                     stock (1).qty 1 → 0
                                                                           UPDATE stock SET qty = 0   1 row
                                                                           COMMIT                     orders +1 row
                        end   stock: item tea, qty 0   (ana, then ben: item tea, qty -1)
                        why   ben read qty before ana wrote it, so ben < ana; but ana wrote qty before ben did, so ana < ben: no order fits
                        fixes FOR NO KEY UPDATE on the read: PROVED (24) · SERIALIZABLE + retry: PROVED (38) ·
                              REPEATABLE READ + retry: PROVED (38)
                        again ./tiebreak prove --replay oversell.replay""");
    }

    @Test
    void text_waits_showsWhoWaitsForWhomAndWhatIsHeld() {
        assertThat(Picture.text(Traces.waiting())).isEqualTo("""
                        VIOLATED  a & b   1 of 2 interleavings break "x < 3"   fewest switches: 1
                          <a>                                    b&b                                    c
                          UPDATE t SET x = 1
                          WHERE id < 3         2 rows
                            holds row of t
                                                                 UPDATE t SET x = 2   waits for <a>
                                                                                                        SELECT a, b FROM
                                                                                                        <t>
                                                                                                          → a 1, b ''; a NULL, b x
                          COMMIT               t.x 0 → 1
                            t.y <b> → 1
                                                                 … goes on            0 rows
                                                                   holds row of t
                                                                                                        COMMIT
                                                                                                          ERROR 40001: could not serialize
                                                                                                          access due to <everything>
                                                                                                        returns              → Taken[left=0]
                        end   t: no row
                        why   x < 3 is false""");
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 60, 80, 100, 200})
    void text_anyWidth_keepsItOnEveryLineButTheFirstAndTheCommand(int width) {
        for (Trace trace : List.of(Traces.oversell(), Traces.waiting())) {
            assertThat(Picture.text(trace, width).lines().skip(1).filter(line -> !line.startsWith("again")))
                    .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(width));
        }
    }

    @Test
    void text_tooNarrow_isRefused() {
        assertThatThrownBy(() -> Picture.text(Traces.oversell(), 39))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a picture needs 40 columns, not 39");
    }
}
