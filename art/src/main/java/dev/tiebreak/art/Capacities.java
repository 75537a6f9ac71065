package dev.tiebreak.art;

/**
 * How much a bucket holds, and so when buckets split and merge.
 *
 * @param bucket entries a bucket may hold, 2 or more
 */
record Capacities(int bucket) {
    static final Capacities LONGS = new Capacities(32);
    static final Capacities OBJECTS = new Capacities(64);

    Capacities {
        if (bucket < 2) {
            throw new IllegalArgumentException("a bucket holds 2 entries or more, not " + bucket);
        }
    }
}
