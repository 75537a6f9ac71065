package dev.tiebreak.stock;

import java.time.Duration;

/** Counts the attempts of one call and the time since it began; used by one thread. */
final class Attempts {
    private final long began = System.nanoTime();
    private int made = 1;

    void again() {
        made++;
    }

    int made() {
        return made;
    }

    Duration waited() {
        return Duration.ofNanos(System.nanoTime() - began);
    }
}
