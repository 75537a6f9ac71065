package dev.tiebreak.prove.engine;

import java.util.BitSet;

/**
 * What a turn may touch: the ground on which two turns of different sessions are called independent.
 *
 * <p>Always a superset of the truth. Two turns are {@linkplain #commutesWith independent} when running them in either
 * order leads to the same place: the same answers, the same rows, the same locks.
 *
 * @param unknown touches nobody knows what
 * @param reads tables whose committed rows it sees
 * @param writes tables whose rows it changes or locks
 * @param snapshot takes the snapshot that its whole transaction will use
 * @param publishes makes changes of rows visible to others, or gives up locks
 * @param guarded acts in a SERIALIZABLE transaction, and not by reading alone: the server's conflict checks look at the
 *     order
 * @param watched acts in a SERIALIZABLE transaction
 */
record Footprint(
        boolean unknown,
        BitSet reads,
        BitSet writes,
        boolean snapshot,
        boolean publishes,
        boolean guarded,
        boolean watched) {
    static final Footprint NOTHING = new Footprint(false, new BitSet(), new BitSet(), false, false, false, false);
    static final Footprint ANYTHING = new Footprint(true, new BitSet(), new BitSet(), true, true, true, true);

    /** Whether the order of the two does not matter. */
    boolean commutesWith(Footprint other) {
        if (unknown || other.unknown) {
            return false;
        }
        if ((guarded && other.watched) || (watched && other.guarded)) {
            return false;
        }
        if ((snapshot && other.publishes) || (publishes && other.snapshot)) {
            return false;
        }
        return !writes.intersects(other.writes) && !writes.intersects(other.reads) && !reads.intersects(other.writes);
    }

    /** The footprint of both together. */
    Footprint and(Footprint other) {
        return new Footprint(
                unknown || other.unknown,
                union(reads, other.reads),
                union(writes, other.writes),
                snapshot || other.snapshot,
                publishes || other.publishes,
                guarded || other.guarded,
                watched || other.watched);
    }

    /** The footprint of the same when it fails and takes its transaction with it, with what that had touched. */
    Footprint releasing(Footprint held) {
        return new Footprint(unknown, reads, union(writes, held.writes), snapshot, true, watched, watched);
    }

    private static BitSet union(BitSet a, BitSet b) {
        BitSet all = (BitSet) a.clone();
        all.or(b);
        return all;
    }
}
