package dev.tiebreak.art;

import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The lock-free radix tree behind {@link ArtMap} and {@link LongArtMap}.
 *
 * <p>A key comes as an object and as bits: {@link LongTree} looks at the bits only, {@link KeyTree} at the object only.
 */
/*
 * A slot holds a Bucket, a Node, or a Frozen of either; the root is a slot that is never frozen.
 *
 * Finding. A descent follows the key's byte at each node's depth without looking at the bytes that the node skips. If the
 * key is in the map, it is in the bucket at the end of that path; whether it is there only a full comparison tells. So
 * a reader needs no check on the way, never waits and never retries.
 *
 * Writing. Overwriting, removing and inserting replace the bucket by a changed copy: one compare-and-set of the slot, at
 * which the write takes effect. An insertion must know that the key belongs where the descent ended. Let m be the first
 * position at which it differs from any key of the bucket reached. All keys below a node agree before its depth, so the
 * key belongs there if m is not before the depth of the last node; otherwise the first node on the path that is deeper
 * than m has to become one of two branches (see branch).
 *
 * Growing. A bucket that overflows is cut in two at a change of the byte that its node looks at, which gives the node
 * one more run; if all its keys have the same byte there, it becomes a node of two buckets in its slot.
 *
 * Replacing a node (a run more, runs fewer): freeze every slot, build the replacement from what the slots held, and
 * compare-and-set the slot that holds the node. From the first frozen slot to that moment no write to a frozen slot
 * succeeds, so the frozen content is the content at the moment of replacement. A writer that finds a frozen slot
 * completes the replacement and starts again from the root; so a thread that stops in the middle stops nobody. If the
 * slot above is frozen too, that node is completed first; the descent meets it first.
 *
 * Shrinking. A removal that leaves a bucket empty, or small beside a small neighbour, replaces the node by one without
 * the empty run or with the two joined; a node with one run left is replaced by what that run holds, and so on upwards.
 */
@SuppressWarnings("ReferenceEquality") // a slot holds this very node or bucket, or another
abstract class Tree<K, V> {
    final KeyCodec<K> codec;
    final Object[] root;
    private final Shaper shaper;
    private final Probe probe;
    private final LongAdder count = new LongAdder();

    Tree(KeyCodec<K> codec, Capacities capacities, Probe probe) {
        this.codec = codec;
        this.shaper = new Shaper(this, capacities);
        this.probe = probe;
        this.root = new Object[] {empty()};
    }

    /** The bits of a key; 0 where they do not matter. */
    abstract long bits(K key);

    abstract K keyAt(Bucket bucket, int i);

    abstract long bitsAt(Bucket bucket, int i);

    /** The byte of a key at a position. */
    abstract int byteAt(K key, long bits, int position);

    /** The byte of a bucket's key; the first key is there even if the bucket is empty. */
    abstract int byteAt(Bucket bucket, int i, int position);

    /** The value of a key, null if it is absent. */
    abstract @Nullable V get(K key, long bits);

    /**
     * The index of a key in the bucket that its path ends at, negative if it is not there. {@code ~index} is where it
     * would be, but only if it agrees with the bucket's keys as far as they agree with each other.
     */
    abstract int find(Bucket bucket, K key, long bits);

    /**
     * Where an absent key would be, whatever it looks like.
     *
     * @param found the answer of {@link #find}, negative
     * @param mismatch the first difference from the bucket's first key
     */
    abstract int place(Bucket bucket, K key, long bits, int found, int mismatch);

    /** The first position at which a key differs from the bucket's first; {@link Integer#MAX_VALUE} if it is that key. */
    abstract int mismatch(Bucket bucket, K key, long bits);

    /** The first position at which the keys of a bucket of two or more differ. */
    abstract int mismatch(Bucket bucket);

    /** Negative, zero or positive as the bucket's key comes before, is, or comes after a key. */
    abstract int compare(Bucket bucket, int i, K key, long bits);

    /** A bucket that names no key, for the root. */
    abstract Bucket empty();

    abstract Bucket single(K key, long bits, V value);

    abstract Bucket inserted(Bucket bucket, int at, K key, long bits, V value, int mismatch);

    abstract Bucket overwritten(Bucket bucket, int at, V value);

    /** Without an entry; still names the last key if it is left empty. */
    abstract Bucket removed(Bucket bucket, int at);

    abstract Bucket part(Bucket bucket, int start, int end);

    abstract Bucket joined(Bucket left, Bucket right);

    /** A bucket of any size from keys in order. */
    abstract Bucket sorted(List<K> keys, Object[] values);

    @SuppressWarnings("unchecked") // only values of this map get into its buckets
    final V valueAt(Bucket bucket, int i) {
        return (V) bucket.values[i];
    }

    /** The number of entries; exact if no write is under way. */
    final long size() {
        return Math.max(0, count.sum());
    }

    /** Applies a change to a key's value in one atomic step; the value before. */
    final @Nullable V update(K key, long bits, Change<V> change) {
        while (true) {
            Node node = null;
            Object[] slots = root;
            int i = 0;
            Object content = Node.read(slots, i);
            while (content instanceof Node next) {
                node = next;
                slots = next.slots;
                i = next.slotOf(byteAt(key, bits, next.depth));
                content = Node.read(slots, i);
            }
            if (!(content instanceof Bucket bucket)) {
                completeFrozen(key, bits);
                continue;
            }
            int at = find(bucket, key, bits);
            V present = at < 0 ? null : valueAt(bucket, at);
            V wanted = change.of(present);
            if (wanted == present) {
                return present;
            }
            boolean done = wanted == null
                    ? remove(key, bits, node, slots, i, bucket, at)
                    : at >= 0
                            ? write(slots, i, bucket, overwritten(bucket, at, wanted))
                            : insert(key, bits, wanted, node, slots, i, bucket, at);
            if (done) {
                return present;
            }
        }
    }

    private boolean write(Object[] slots, int i, Object expected, Object content) {
        probe.before(Probe.Step.WRITE);
        return Node.compareAndSet(slots, i, expected, content);
    }

    private boolean remove(K key, long bits, @Nullable Node node, Object[] slots, int i, Bucket bucket, int at) {
        Bucket rest = node == null && bucket.size() == 1 ? empty() : removed(bucket, at);
        if (!write(slots, i, bucket, rest)) {
            return false;
        }
        count.decrement();
        if (node != null && shaper.isSmall(rest)) {
            tidy(key, bits, node, i, rest);
        }
        return true;
    }

    private boolean insert(
            K key, long bits, V value, @Nullable Node node, Object[] slots, int i, Bucket bucket, int found) {
        boolean done;
        if (node == null && bucket.size() == 0) {
            done = write(slots, i, bucket, single(key, bits, value));
        } else {
            int mismatch = mismatch(bucket, key, bits);
            if (node != null && mismatch < node.depth) {
                done = branch(key, bits, value);
            } else if (bucket.size() == 0) {
                done = write(slots, i, bucket, single(key, bits, value));
            } else {
                int at = place(bucket, key, bits, found, mismatch);
                Bucket more = inserted(bucket, at, key, bits, value, mismatch);
                if (!shaper.overflows(more)) {
                    done = write(slots, i, bucket, more);
                } else if (node == null || !shaper.spans(more, node.depth)) {
                    done = write(slots, i, bucket, shaper.parted(more, at));
                } else {
                    done = replace(key, bits, node, shaper.cutting(node, i, bucket, more, at));
                }
            }
        }
        if (done) {
            count.increment();
        }
        return done;
    }

    /** Inserts a key that leaves the common prefix of a node on its path. */
    private boolean branch(K key, long bits, V value) {
        Node[] path = new Node[8];
        int length = 0;
        Object content = Node.read(root, 0);
        while (content instanceof Node node) {
            if (length == path.length) {
                path = Arrays.copyOf(path, 2 * length);
            }
            path[length++] = node;
            content = Node.read(node.slots, node.slotOf(byteAt(key, bits, node.depth)));
        }
        if (!(content instanceof Bucket bucket) || length == 0) {
            return false;
        }
        int mismatch = mismatch(bucket, key, bits);
        int level = 0;
        while (level < length && path[level].depth <= mismatch) {
            level++;
        }
        if (level == length) {
            return false;
        }
        Node below = path[level];
        Bucket single = single(key, bits, value);
        int mine = byteAt(key, bits, mismatch);
        int theirs = byteAt(bucket, 0, mismatch);
        Object left = mine < theirs ? single : below;
        Object right = mine < theirs ? below : single;
        int start = Math.max(mine, theirs);
        if (level == 0) {
            return write(root, 0, below, Node.of(mismatch, left, start, right));
        }
        Node above = path[level - 1];
        int i = above.slotOf(byteAt(key, bits, above.depth));
        // The node above looks at this very byte: its run spans both, so it is the run that has to be cut.
        return above.depth == mismatch
                ? replace(key, bits, above, new Shaper.Cut(i, below, left, start, right, false))
                : write(above.slots, i, below, Node.of(mismatch, left, start, right));
    }

    /** Replaces a node on a key's path by one with a run cut. */
    private boolean replace(K key, long bits, Node node, Shaper.Cut cut) {
        Object[] slots = root;
        int i = 0;
        Object content = Node.read(slots, i);
        while (content instanceof Node next && next != node) {
            slots = next.slots;
            i = next.slotOf(byteAt(key, bits, next.depth));
            content = Node.read(slots, i);
        }
        if (content != node) {
            return false;
        }
        node.freeze(probe);
        boolean kept = Frozen.thawed(Node.read(node.slots, cut.run())) == cut.expected();
        Object replacement = rebuilt(node, slots == root, kept ? cut : null);
        probe.before(Probe.Step.REPLACE);
        return Node.compareAndSet(slots, i, node, replacement) && kept;
    }

    /** Completes the replacement of the first node on a key's path of which the key's slot is frozen; false if none. */
    private boolean completeFrozen(K key, long bits) {
        Object[] slots = root;
        int i = 0;
        Object content = Node.read(slots, i);
        while (content instanceof Node node) {
            int next = node.slotOf(byteAt(key, bits, node.depth));
            Object below = Node.read(node.slots, next);
            if (below instanceof Frozen) {
                node.freeze(probe);
                Object replacement = rebuilt(node, slots == root, null);
                probe.before(Probe.Step.REPLACE);
                Node.compareAndSet(slots, i, node, replacement);
                return true;
            }
            slots = node.slots;
            i = next;
            content = below;
        }
        return false;
    }

    private Object rebuilt(Node node, boolean atRoot, Shaper.@Nullable Cut cut) {
        Object rebuilt = shaper.rebuilt(node, cut);
        if (rebuilt instanceof Node only && only.depth != node.depth) {
            // The only run held a node. A copy goes up: that node may have been in this slot before, and nothing may
            // come
            // back to a slot (see Cursor.Checked).
            only.freeze(probe);
            return rebuilt(only, atRoot, null);
        }
        return atRoot && rebuilt instanceof Bucket bucket && bucket.size() == 0 ? empty() : rebuilt;
    }

    /** Gives memory back after a removal left {@code rest} in a slot of {@code node}, on this key's path. */
    private void tidy(K key, long bits, Node node, int i, Bucket rest) {
        Node untidy = node;
        int slot = i;
        Bucket small = rest;
        while (untidy != null && wantsTidying(untidy, slot, small)) {
            Node above = null;
            Object[] slots = root;
            int at = 0;
            Object content = Node.read(slots, at);
            while (content instanceof Node next && next != untidy) {
                above = next;
                slots = next.slots;
                at = next.slotOf(byteAt(key, bits, next.depth));
                content = Node.read(slots, at);
            }
            Object replacement = null;
            if (content == untidy) {
                untidy.freeze(probe);
                replacement = rebuilt(untidy, slots == root, null);
                probe.before(Probe.Step.REPLACE);
                if (!Node.compareAndSet(slots, at, untidy, replacement)) {
                    replacement = null;
                }
            }
            if (replacement == null) {
                // Another replacement is under way or has won; see it through, so that nothing stays half frozen.
                while (completeFrozen(key, bits)) {}
                return;
            }
            if (!(replacement instanceof Bucket left)) {
                return;
            }
            untidy = above;
            slot = at;
            small = left;
        }
    }

    private boolean wantsTidying(Node node, int i, Bucket rest) {
        return rest.size() == 0
                || (i > 0 && shaper.joinable(Node.read(node.slots, i - 1), rest))
                || (i + 1 < node.slots.length && shaper.joinable(rest, Node.read(node.slots, i + 1)));
    }

    /** The first entry in a direction from a key on, as a snapshot; null if there is none. True at one moment. */
    final Map.@Nullable Entry<K, V> near(K key, boolean up, boolean inclusive) {
        Cursor<K, V> cursor = found(c -> up ? c.up(key, bits(key), inclusive) : c.down(key, bits(key), inclusive));
        return cursor == null ? null : new SimpleImmutableEntry<>(cursor.key(), cursor.value());
    }

    /** The first or last entry, as a snapshot; null if there is none. True at one moment. */
    final Map.@Nullable Entry<K, V> end(boolean last) {
        Cursor<K, V> cursor = found(c -> c.toEnd(last));
        return cursor == null ? null : new SimpleImmutableEntry<>(cursor.key(), cursor.value());
    }

    /** Searches until all that the search read holds at once. */
    final @Nullable Cursor<K, V> found(Predicate<Cursor<K, V>> search) {
        Cursor.Checked<K, V> cursor = new Cursor.Checked<>(this);
        while (true) {
            boolean found = search.test(cursor);
            if (cursor.holds()) {
                return found ? cursor : null;
            }
            cursor.forget();
        }
    }

    /**
     * Removes everything in one atomic step: takes the whole tree off the root. What writers that were already inside
     * still do to it comes before the clearing; freezing it ends that, after which it can be counted.
     */
    final void clear() {
        Object content = Node.read(root, 0);
        while (!(content instanceof Bucket bucket && bucket.size() == 0)) {
            if (write(root, 0, content, empty())) {
                count.add(-frozenSize(content));
                return;
            }
            content = Node.read(root, 0);
        }
    }

    private long frozenSize(Object detached) {
        long size = 0;
        ArrayDeque<Object> pending = new ArrayDeque<>();
        pending.push(detached);
        while (!pending.isEmpty()) {
            Object content = pending.pop();
            if (content instanceof Bucket bucket) {
                size += bucket.size();
            } else if (content instanceof Node node) {
                node.freeze(probe);
                for (int i = 0; i < node.slots.length; i++) {
                    pending.push(Frozen.thawed(Node.read(node.slots, i)));
                }
            }
        }
        return size;
    }

    /** Puts sorted entries into an empty tree in one atomic step; false, and nothing done, if it is not empty. */
    final boolean load(Bucket sorted) {
        Object content = Node.read(root, 0);
        if (!(content instanceof Bucket bucket && bucket.size() == 0)) {
            return false;
        }
        Object built = sorted.size() == 0 ? empty() : shaper.built(sorted);
        if (!write(root, 0, content, built)) {
            return false;
        }
        count.add(sorted.size());
        return true;
    }
}
