package dev.tiebreak.art;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An inner node: splits the 256 values of one byte of the key into runs, and has one slot a run.
 *
 * <p>A run is a range of adjacent values that share a slot. Where the runs start is fixed when the node is made, as 256
 * bits; the slot of a byte is the number of starts up to it, minus one, which takes one population count whatever the
 * size of the node. Value 0 always starts a run, so every byte has a slot; a node has at least two.
 *
 * <p>Only the slots change. A slot holds a {@link Bucket}, a {@link Node} or, once the node is being replaced, a {@link
 * Frozen} of either, which is final. A run that holds a node may span values that no key below that node has: a key that
 * brings one cuts the run.
 *
 * <p>All keys below a node agree in every position before {@link #depth}. That never changes for a node, and the node
 * does not store it: any key below, even one that has just been removed, tells.
 */
final class Node {
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);

    /** The position of the byte this node looks at; absolute, so that a change above leaves the node alone. */
    final int depth;

    final Object[] slots;

    private final long starts0;
    private final long starts1;
    private final long starts2;
    private final long starts3;

    /** For each of the four words above, a byte: the number of starts in the words before it, minus one. */
    private final int ranks;

    /**
     * @param starts the first value of each run, ascending; the first is taken as 0
     * @param contents what the slots hold
     * @param runs how many entries of the two arrays count
     */
    Node(int depth, int[] starts, Object[] contents, int runs) {
        this.depth = depth;
        long[] words = new long[4];
        words[0] = 1;
        for (int i = 1; i < runs; i++) {
            words[starts[i] >>> 6] |= 1L << starts[i];
        }
        starts0 = words[0];
        starts1 = words[1];
        starts2 = words[2];
        starts3 = words[3];
        int before1 = Long.bitCount(starts0) - 1;
        int before2 = before1 + Long.bitCount(starts1);
        int before3 = before2 + Long.bitCount(starts2);
        ranks = 0xFF | before1 << 8 | before2 << 16 | before3 << 24;
        Object[] own = new Object[runs];
        System.arraycopy(contents, 0, own, 0, runs);
        slots = own;
    }

    /** A node of two runs. */
    static Node of(int depth, Object left, int start, Object right) {
        return new Node(depth, new int[] {0, start}, new Object[] {left, right}, 2);
    }

    /** The slot of a byte of the key. */
    int slotOf(int value) {
        long upTo = (2L << value) - 1;
        long starts = value < 128 ? value < 64 ? starts0 : starts1 : value < 192 ? starts2 : starts3;
        return (Long.bitCount(starts & upTo) + (ranks >>> (value >>> 6 << 3))) & 0xFF;
    }

    /** The first value of the next run after the one that {@code value} is in; 256 if it is in the last. */
    int nextStart(int value) {
        for (int v = value + 1; v < 256; v = (v | 63) + 1) {
            long rest = (v < 128 ? v < 64 ? starts0 : starts1 : v < 192 ? starts2 : starts3) >>> v;
            if (rest != 0) {
                return v + Long.numberOfTrailingZeros(rest);
            }
        }
        return 256;
    }

    /** Ends every write to this node: wraps each slot's content, whatever it is by then. Any number of threads may. */
    void freeze(Probe probe) {
        for (int i = 0; i < slots.length; i++) {
            for (Object content = read(slots, i); !(content instanceof Frozen); content = read(slots, i)) {
                probe.before(Probe.Step.FREEZE);
                if (compareAndSet(slots, i, content, new Frozen(content))) {
                    break;
                }
            }
        }
    }

    /*
     * Volatile, not acquire: a thread that wrote one slot and then reads another must not see the second as it was
     * before its write (store to load), or two such threads could miss each other.
     */
    static Object read(Object[] slots, int i) {
        return (Object) SLOT.getVolatile(slots, i);
    }

    static boolean compareAndSet(Object[] slots, int i, Object expected, Object content) {
        return SLOT.compareAndSet(slots, i, expected, content);
    }
}
