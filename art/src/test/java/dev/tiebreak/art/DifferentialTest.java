package dev.tiebreak.art;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class DifferentialTest {
    private static final boolean DEEP = Boolean.getBoolean("tiebreak.deep");
    private static final int ROUNDS = DEEP ? 200 : 6;
    private static final int STEPS = 10_000;

    static List<Arguments> kindsAndCapacities() {
        List<Arguments> cases = new ArrayList<>();
        for (Keys<?> keys : Keys.everyKind()) {
            for (int bucket : new int[] {2, 3, 4, 0}) {
                cases.add(Arguments.of(keys, bucket));
            }
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("kindsAndCapacities")
    void randomSteps_onEveryKindOfKey_answerAsASkipListDoes(Keys<?> keys, int bucket) {
        check(keys, bucket, ROUNDS);
    }

    private static <K> void check(Keys<K> keys, int bucket, int rounds) {
        for (int round = 0; round < rounds; round++) {
            // Few keys meet often, many make the tree deep.
            Keys<K> some = round % 3 == 0 ? keys.scattered(12, round) : keys;
            new Differential<>(some, () -> Maps.of(keys.codec(), bucket)).check(31L * round + bucket, STEPS);
        }
    }

    @Test
    void check_mapThatForgetsAKeyOnOverwrite_isCaughtWithAFewSteps() {
        Keys<String> keys = Keys.strings();
        Differential<String> differential = new Differential<>(keys, Forgetful::new);

        assertThatThrownBy(() -> differential.check(1, 2_000))
                .isInstanceOf(AssertionError.class)
                .hasMessageMatching("(?s).*shortened from \\d+ steps to [1-4]:.*")
                .hasMessageContaining("put[");
    }

    @Test
    void check_mapThatOrdersByUtf8_isCaught() {
        Keys<String> keys = Keys.strings();
        Differential<String> differential = new Differential<>(
                keys, () -> new ConcurrentSkipListMap<>((a, b) -> codePoints(a).compareTo(codePoints(b))));

        assertThatThrownBy(() -> differential.check(1, 2_000)).isInstanceOf(AssertionError.class);
    }

    /** Orders as UTF-32 does: surrogates replaced by something that comes after every other unit. */
    private static String codePoints(String text) {
        StringBuilder units = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            units.append(Character.isSurrogate(unit) ? "\uFFFF" + unit : "" + unit);
        }
        return units.toString();
    }

    /** Loses the least key whenever a value changes from 3 to 4: a fault too rare for a test by hand. */
    @SuppressWarnings("serial")
    private static final class Forgetful extends ConcurrentSkipListMap<String, Integer> {
        @Override
        public Integer put(String key, Integer value) {
            Integer old = super.put(key, value);
            if (value == 4 && old != null && old == 3) {
                pollFirstEntry();
            }
            return old;
        }
    }

    @Test
    void randomSteps_onTwoSkipLists_answerTheSame() {
        Keys<Double> keys = Keys.doubles();
        ConcurrentNavigableMap<Double, Integer> none = new ConcurrentSkipListMap<>();
        new Differential<>(keys, () -> new ConcurrentSkipListMap<>(none)).check(2, STEPS);
    }
}
