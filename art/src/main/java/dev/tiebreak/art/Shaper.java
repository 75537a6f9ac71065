package dev.tiebreak.art;

import org.jspecify.annotations.Nullable;

/** Decides where buckets are cut and joined, and makes nodes of them; writes to no slot of a tree. */
final class Shaper {
    private final Tree<?, ?> tree;
    private final Capacities capacities;

    Shaper(Tree<?, ?> tree, Capacities capacities) {
        this.tree = tree;
        this.capacities = capacities;
    }

    boolean overflows(Bucket bucket) {
        return bucket.size() > capacities.bucket();
    }

    /** Whether two neighbours are so small that they become one. */
    boolean joinable(Object a, Object b) {
        return a instanceof Bucket left
                && b instanceof Bucket right
                && left.size() + right.size() <= capacities.merged();
    }

    /** Whether a removal that leaves this may be one to tidy up after. */
    boolean isSmall(Bucket bucket) {
        return bucket.size() < capacities.merged();
    }

    private boolean isCrowded(Bucket bucket, int depth) {
        return bucket.size() > capacities.roomy() && spans(bucket, depth);
    }

    /** Whether the keys of a bucket differ in the byte at a depth before which they agree. */
    boolean spans(Bucket bucket, int depth) {
        return tree.byteAt(bucket, 0, depth) != tree.byteAt(bucket, bucket.size() - 1, depth);
    }

    /** A node of two buckets in the place of one that got too full by the entry at index {@code added}. */
    Node parted(Bucket bucket, int added) {
        int depth = tree.mismatch(bucket);
        int cut = cut(bucket, depth, added, true, true);
        return Node.of(
                depth,
                tree.part(bucket, 0, cut),
                tree.byteAt(bucket, cut, depth),
                tree.part(bucket, cut, bucket.size()));
    }

    /** The cut that a bucket needs in run {@code run} of a node after the entry at index {@code added} made it too full. */
    Cut cutting(Node node, int run, Bucket expected, Bucket bucket, int added) {
        boolean first = run == 0 && added == 0;
        boolean last = run == node.slots.length - 1 && added == bucket.size() - 1;
        int cut = cut(bucket, node.depth, added, first, last);
        return new Cut(
                run,
                expected,
                tree.part(bucket, 0, cut),
                tree.byteAt(bucket, cut, node.depth),
                tree.part(bucket, cut, bucket.size()),
                !first && !last);
    }

    /**
     * What to put in the place of one run: two, the second from {@code start} on, if the run still holds {@code expected}.
     *
     * @param crowdedToo whether to cut the crowded runs beside it: not those that keys in order have left full
     */
    record Cut(int run, Object expected, Object left, int start, Object right, boolean crowdedToo) {}

    /**
     * Where to cut a bucket in two: at a change of the byte at {@code depth}, as near to the middle as there is one. Keys
     * that come in order would so leave every bucket half full; an entry that was added at the outer end of the first or
     * last run gets away with as few others as possible instead.
     */
    private int cut(Bucket bucket, int depth, int added, boolean first, boolean last) {
        int size = bucket.size();
        int aim = last && added == size - 1 ? size - 1 : first && added == 0 ? 1 : size / 2;
        for (int distance = 0; ; distance++) {
            if (changes(bucket, aim - distance, depth)) {
                return aim - distance;
            }
            if (changes(bucket, aim + distance, depth)) {
                return aim + distance;
            }
        }
    }

    private boolean changes(Bucket bucket, int i, int depth) {
        return i > 0 && i < bucket.size() && tree.byteAt(bucket, i - 1, depth) != tree.byteAt(bucket, i, depth);
    }

    /**
     * What a frozen node is replaced by: without its empty runs, small neighbours joined; and if it grows, with one run cut
     * as asked and the crowded ones too. With one run left it is what that run holds; with none, an empty bucket that
     * names a removed key.
     */
    Object rebuilt(Node node, @Nullable Cut cut) {
        Runs runs = new Runs(Math.min(256, 2 * node.slots.length));
        int start = 0;
        for (int i = 0; i < node.slots.length; i++) {
            if (cut != null && cut.run == i) {
                runs.add(start, cut.left);
                runs.add(cut.start, cut.right);
            } else {
                Object content = Frozen.thawed(Node.read(node.slots, i));
                if (cut != null && cut.crowdedToo && content instanceof Bucket b && isCrowded(b, node.depth)) {
                    int middle = cut(b, node.depth, -1, false, false);
                    runs.add(start, tree.part(b, 0, middle));
                    runs.add(tree.byteAt(b, middle, node.depth), tree.part(b, middle, b.size()));
                } else {
                    runs.add(start, content);
                }
            }
            start = node.nextStart(start);
        }
        return switch (runs.count) {
            case 0 -> runs.emptied;
            case 1 -> runs.contents[0];
            default -> new Node(node.depth, runs.starts, runs.contents, runs.count);
        };
    }

    /** The runs of a node to be, in order. */
    private final class Runs {
        private final int[] starts;
        private final Object[] contents;
        private int count;
        private Bucket emptied = tree.empty();

        Runs(int most) {
            starts = new int[most];
            contents = new Object[most];
        }

        /** Leaves empty buckets out and joins small neighbours. */
        void add(int start, Object content) {
            if (content instanceof Bucket bucket && bucket.size() == 0) {
                emptied = bucket;
            } else if (count > 0 && joinable(contents[count - 1], content)) {
                contents[count - 1] = tree.joined((Bucket) contents[count - 1], (Bucket) content);
            } else {
                starts[count] = start;
                contents[count++] = content;
            }
        }
    }

    /** A tree of sorted entries, bottom up. */
    Object built(Bucket sorted) {
        if (sorted.size() <= capacities.roomy()) {
            return sorted;
        }
        int depth = tree.mismatch(sorted);
        int[] starts = new int[256];
        Object[] contents = new Object[256];
        int runs = 0;
        int start = 0;
        int end = 0;
        while (start < sorted.size()) {
            // As many of the next values as fit a bucket, or one value alone.
            do {
                int next = endOf(sorted, end, depth);
                if (end > start && next - start > capacities.roomy()) {
                    break;
                }
                end = next;
            } while (end < sorted.size());
            starts[runs] = tree.byteAt(sorted, start, depth);
            contents[runs++] = built(tree.part(sorted, start, end));
            start = end;
        }
        return new Node(depth, starts, contents, runs);
    }

    /** The index after the last key that has the same byte as the key at {@code from}: doubles its step, then halves it. */
    private int endOf(Bucket sorted, int from, int depth) {
        int value = tree.byteAt(sorted, from, depth);
        int step = 1;
        int low = from;
        while (low + step < sorted.size() && tree.byteAt(sorted, low + step, depth) == value) {
            low += step;
            step <<= 1;
        }
        int high = Math.min(low + step, sorted.size());
        while (low + 1 < high) {
            int middle = (low + high) >>> 1;
            if (tree.byteAt(sorted, middle, depth) == value) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }
}
