package dev.tiebreak.art;

import java.util.Arrays;

/**
 * A place in the order of a tree's keys: an entry of a bucket, and the nodes above it.
 *
 * <p>The bucket is immutable, so a cursor walks it without looking back; when it is through, it takes the next slot of the
 * node above. If that slot is frozen the node may have been replaced, and the cursor finds its place again from the root
 * by its last key. It reads what a frozen slot holds, so a thread that stopped in the middle of a replacement does not
 * stop a cursor. Runs are disjoint and in order and a key never leaves the range of its run, so a key that is there
 * throughout is met exactly once, and in order.
 *
 * <p>For one thread.
 */
@SuppressWarnings("ReferenceEquality") // a slot holds this very node or bucket, or another
class Cursor<K, V> {
    private final Tree<K, V> tree;
    private Node[] nodes = new Node[6];
    private int[] runs = new int[6];
    private int level;

    /** Never empty after a move that answered true. */
    Bucket bucket;

    int index;

    Cursor(Tree<K, V> tree) {
        this.tree = tree;
        this.bucket = tree.empty();
    }

    /** What a slot holds; a subclass remembers it. */
    Object read(Object[] slots, int i) {
        return Node.read(slots, i);
    }

    /** Moves to the first or last entry of all; false if there is none. */
    final boolean toEnd(boolean last) {
        level = 0;
        return last ? toLast(read(tree.root, 0)) || previousRun(false) : toFirst(read(tree.root, 0)) || nextRun(false);
    }

    /** Moves to the first entry at or after a key; false if there is none. */
    final boolean up(K key, long bits, boolean inclusive) {
        int place = descend(key, bits);
        if (place == BEFORE) {
            return toFirst(nodes[level]) || nextRun(false);
        }
        if (place == AFTER) {
            return nextRun(false);
        }
        index = place >= 0 ? inclusive ? place : place + 1 : ~place;
        return index < bucket.size() || nextRun(false);
    }

    /** Moves to the last entry at or before a key; false if there is none. */
    final boolean down(K key, long bits, boolean inclusive) {
        int place = descend(key, bits);
        if (place == BEFORE) {
            return previousRun(false);
        }
        if (place == AFTER) {
            return toLast(nodes[level]) || previousRun(false);
        }
        index = place >= 0 ? inclusive ? place : place - 1 : ~place - 1;
        return index >= 0 || previousRun(false);
    }

    private static final int BEFORE = Integer.MAX_VALUE;
    private static final int AFTER = Integer.MAX_VALUE - 1;

    /**
     * Follows a key down. The answer is where it is in {@link #bucket}, or {@code ~} where it would be; or that it comes
     * before or after everything below {@code nodes[level]}, the node in the slot that the cursor then stands at. (Not
     * below what the slot holds by now, which may reach further.)
     */
    private int descend(K key, long bits) {
        level = 0;
        Object content = Frozen.thawed(read(tree.root, 0));
        while (content instanceof Node node) {
            push(node, node.slotOf(tree.byteAt(key, bits, node.depth)));
            content = Frozen.thawed(read(node.slots, runs[level - 1]));
        }
        bucket = (Bucket) content;
        if (level == 0 && bucket.size() == 0) {
            return ~0;
        }
        int mismatch = tree.mismatch(bucket, key, bits);
        if (level == 0 || mismatch >= nodes[level - 1].depth) {
            if (bucket.size() == 0) {
                return ~0;
            }
            int place = tree.find(bucket, key, bits);
            return place >= 0 ? place : ~tree.place(bucket, key, bits, place, mismatch);
        }
        int order = tree.byteAt(key, bits, mismatch) - tree.byteAt(bucket, 0, mismatch);
        while (level > 0 && nodes[level - 1].depth > mismatch) {
            level--;
        }
        return order < 0 ? BEFORE : AFTER;
    }

    /** Moves to the first entry of the next bucket; false if this is the last. */
    final boolean nextBucket() {
        return nextRun(true);
    }

    /** Moves to the last entry of the bucket before; false if this is the first. */
    final boolean previousBucket() {
        return previousRun(true);
    }

    /** Whether the bucket is still what its slot holds. */
    final boolean isCurrent() {
        return Node.read(slots(), slot()) == bucket;
    }

    private boolean nextRun(boolean afresh) {
        while (level > 0) {
            Node node = nodes[level - 1];
            int run = ++runs[level - 1];
            if (run == node.slots.length) {
                level--;
                continue;
            }
            Object content = read(node.slots, run);
            if (afresh && content instanceof Frozen) {
                int last = bucket.size() - 1;
                return up(tree.keyAt(bucket, last), tree.bitsAt(bucket, last), false);
            }
            if (toFirst(content)) {
                return true;
            }
        }
        return false;
    }

    private boolean previousRun(boolean afresh) {
        while (level > 0) {
            Node node = nodes[level - 1];
            int run = --runs[level - 1];
            if (run < 0) {
                level--;
                continue;
            }
            Object content = read(node.slots, run);
            if (afresh && content instanceof Frozen) {
                return down(tree.keyAt(bucket, 0), tree.bitsAt(bucket, 0), false);
            }
            if (toLast(content)) {
                return true;
            }
        }
        return false;
    }

    /** Goes down to the first bucket; false if it is empty. */
    private boolean toFirst(Object top) {
        Object content = Frozen.thawed(top);
        while (content instanceof Node node) {
            push(node, 0);
            content = Frozen.thawed(read(node.slots, 0));
        }
        return settle((Bucket) content, false);
    }

    private boolean toLast(Object top) {
        Object content = Frozen.thawed(top);
        while (content instanceof Node node) {
            push(node, node.slots.length - 1);
            content = Frozen.thawed(read(node.slots, node.slots.length - 1));
        }
        return settle((Bucket) content, true);
    }

    private boolean settle(Bucket next, boolean last) {
        if (next.size() == 0) {
            return false;
        }
        bucket = next;
        index = last ? next.size() - 1 : 0;
        return true;
    }

    private Object[] slots() {
        return level == 0 ? tree.root : nodes[level - 1].slots;
    }

    private int slot() {
        return level == 0 ? 0 : runs[level - 1];
    }

    private void push(Node node, int run) {
        if (level == nodes.length) {
            nodes = Arrays.copyOf(nodes, 2 * level);
            runs = Arrays.copyOf(runs, 2 * level);
        }
        nodes[level] = node;
        runs[level++] = run;
    }

    final K key() {
        return tree.keyAt(bucket, index);
    }

    final long bits() {
        return tree.bitsAt(bucket, index);
    }

    final V value() {
        return tree.valueAt(bucket, index);
    }

    /**
     * A cursor that remembers every slot it read, to tell whether they all still hold what they held. Nothing comes back
     * to a slot that it has left, except the emptiness of the root, which is the same state. So if they do, all of it was
     * true at once, between the last read and the first check, and the answer found is the answer at that moment.
     */
    static final class Checked<K, V> extends Cursor<K, V> {
        private Object[][] slots = new Object[12][];
        private int[] indexes = new int[12];
        private Object[] contents = new Object[12];
        private int reads;

        Checked(Tree<K, V> tree) {
            super(tree);
        }

        @Override
        Object read(Object[] from, int i) {
            Object content = Node.read(from, i);
            if (reads == indexes.length) {
                slots = Arrays.copyOf(slots, 2 * reads);
                indexes = Arrays.copyOf(indexes, 2 * reads);
                contents = Arrays.copyOf(contents, 2 * reads);
            }
            slots[reads] = from;
            indexes[reads] = i;
            contents[reads++] = content;
            return content;
        }

        void forget() {
            reads = 0;
        }

        boolean holds() {
            for (int i = 0; i < reads; i++) {
                if (Node.read(slots[i], indexes[i]) != contents[i]) {
                    return false;
                }
            }
            return true;
        }
    }
}
