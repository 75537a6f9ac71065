package dev.tiebreak.benchmarks;

import java.util.Arrays;

/**
 * One measured case.
 *
 * @param name what was measured, parts divided by slashes: {@code string-url/scan100/1M/t2}
 * @param value the median of the repeats, in {@code unit}
 * @param unit of value, min and max: {@code ops/s}, {@code ns/op}, {@code B}, {@code ×} for a ratio
 * @param min the least of the repeats
 * @param max the greatest of the repeats
 * @param exact whether the work proved itself, such as units sold = stock gone; if not, no value is printed
 */
public record Row(String name, double value, String unit, double min, double max, boolean exact) {

    public Row {
        if (name.isBlank() || unit.isBlank()) {
            throw new IllegalArgumentException("a row needs a name and a unit, got '" + name + "' and '" + unit + "'");
        }
        if (exact && !(min <= value && value <= max)) {
            throw new IllegalArgumentException(name + ": value " + value + " lies outside " + min + ".." + max);
        }
    }

    /** A row of at least one repeat: the median, with the least and the greatest beside it. */
    public static Row median(String name, String unit, boolean exact, double... repeats) {
        if (repeats.length == 0) {
            throw new IllegalArgumentException(name + ": no repeat to take the median of");
        }
        double[] sorted = repeats.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Row(name, median, unit, sorted[0], sorted[sorted.length - 1], exact);
    }
}
