package dev.tiebreak.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the repeats of several cases measured, and how the cases compare. */
final class Samples {
    private final Map<String, List<Sample>> taken = new LinkedHashMap<>();
    private final String unit;

    Samples(String unit) {
        this.unit = unit;
    }

    void add(String name, Sample sample) {
        taken.computeIfAbsent(name, n -> new ArrayList<>()).add(sample);
    }

    List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        taken.forEach((name, repeats) -> rows.add(Row.median(
                name,
                unit,
                exact(repeats),
                repeats.stream().mapToDouble(Sample::rate).toArray())));
        return rows;
    }

    /** How many times the rate of one case that of another is; repeat by repeat, so that a drift of the machine is in both. */
    List<Row> ratio(String ours, String theirs) {
        List<Sample> a = taken.getOrDefault(ours, List.of());
        List<Sample> b = taken.getOrDefault(theirs, List.of());
        if (a.isEmpty() || a.size() != b.size()) {
            return List.of();
        }
        double[] ratios = new double[a.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = a.get(i).rate / b.get(i).rate;
        }
        return List.of(Row.median(ours + " : " + theirs, "×", exact(a) && exact(b), ratios));
    }

    private static boolean exact(List<Sample> repeats) {
        return repeats.stream().allMatch(Sample::exact);
    }

    /**
     * One repeat of one case.
     *
     * @param rate in the unit of all
     * @param exact whether the work proved itself
     */
    record Sample(double rate, boolean exact) {}
}
