package dev.tiebreak.art;

/** The maps under test. */
final class Maps {
    /** Bucket capacities small enough for a few operations to burst, grow, freeze, merge and shrink. */
    static final int[] SMALL = {2, 3, 4};

    private Maps() {}

    /** A map whose buckets hold {@code bucket} entries; 0 for what users get. */
    static <K, V> ArtMap<K, V> of(KeyCodec<K> codec, int bucket) {
        return bucket == 0 ? ArtMap.create(codec) : ArtMap.create(codec, new Capacities(bucket));
    }
}
