package dev.tiebreak.art;

/**
 * How much a bucket holds, and so when buckets split and merge: every number that tunes the tree.
 *
 * @param bucket entries a bucket may hold, 2 or more; one more splits it
 */
record Capacities(int bucket) {
    static final Capacities LONGS = new Capacities(32);
    static final Capacities OBJECTS = new Capacities(64);

    Capacities {
        if (bucket < 2) {
            throw new IllegalArgumentException("a bucket holds 2 entries or more, not " + bucket);
        }
    }

    /**
     * Neighbours that hold no more than this together become one bucket: half of what a bucket holds, so that the next
     * few insertions do not split it again.
     */
    int merged() {
        return bucket / 2;
    }

    /**
     * How full a bulk load leaves a bucket, and how full a bucket may be when its node is replaced to get one more run:
     * three quarters. A fuller one is cut along with it, because it would soon be next, and replacing a node costs a step
     * a slot: so a node that grows is replaced a few times while its runs double instead of once a run.
     */
    int roomy() {
        return bucket - bucket / 4;
    }
}
