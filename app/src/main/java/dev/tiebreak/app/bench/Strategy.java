package dev.tiebreak.app.bench;

import dev.tiebreak.app.Complaint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The ways to take from a count: nine cures, and two controls: what most people write, and the plain update by hand. */
public enum Strategy {
    /** {@code UPDATE … SET qty = qty - n WHERE qty >= n}. */
    CONDITIONAL("waits"),
    /** The table's CHECK constraint says no. */
    CONSTRAINT("waits"),
    /** {@code SELECT … FOR NO KEY UPDATE}, decide, write. */
    PESSIMISTIC("waits"),
    /** Compare-and-set on a version column. */
    OPTIMISTIC("retries"),
    /** Isolation level SERIALIZABLE and a retry. */
    SERIALIZABLE("retries"),
    /** A transaction-scoped advisory lock first. */
    ADVISORY("waits"),
    /** The count spread over shards. */
    SPLIT("waits"),
    /** One writer a key decides for all who wait. */
    BATCHING("queues"),
    /** One row a unit, the next free one. */
    UNITS("skips"),
    /** Read, decide, write: the control, not a cure. */
    NAIVE("overwrites"),
    /** The conditional update by hand, without the library: what the library's own work is measured against. */
    PLAIN("waits");

    private final String loser;

    Strategy(String loser) {
        this.loser = loser;
    }

    /** The name in options, tables and JSON. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What becomes of the one who comes second, in one verb. */
    public String loser() {
        return loser;
    }

    /** Whether it is one of the nine cures and not a control. */
    public boolean isCure() {
        return this != NAIVE && this != PLAIN;
    }

    /** The nine cures, and the code that most people write. */
    public static List<Strategy> forSale() {
        return Arrays.stream(values()).filter(strategy -> strategy != PLAIN).toList();
    }

    /** Whether the word names one of the nine cures. */
    public static boolean isCure(String word) {
        return cures().stream().anyMatch(cure -> cure.word().equals(word));
    }

    /** The nine cures. */
    public static List<Strategy> cures() {
        return Arrays.stream(values()).filter(Strategy::isCure).toList();
    }

    /** The strategies named in an option, in the order of this enumeration. */
    public static List<Strategy> named(List<String> words) {
        List<Strategy> chosen = new ArrayList<>();
        for (String word : words) {
            chosen.add(Arrays.stream(values())
                    .filter(strategy -> strategy.word().equals(word.strip()))
                    .findFirst()
                    .orElseThrow(() -> new Complaint("there is no strategy \"" + word.strip() + "\"; choose from "
                            + Arrays.stream(values()).map(Strategy::word).collect(Collectors.joining(", ")))));
        }
        return Arrays.stream(values()).filter(chosen::contains).toList();
    }
}
