package dev.tiebreak.app.bench;

import java.util.stream.DoubleStream;

/** Median, least and most of some repeats. */
record Spread(double median, double min, double max) {
    static Spread of(DoubleStream repeats) {
        double[] sorted = repeats.sorted().toArray();
        if (sorted.length == 0) {
            return new Spread(0, 0, 0);
        }
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }
}
