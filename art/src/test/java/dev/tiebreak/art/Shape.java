package dev.tiebreak.art;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;

/** Walks a tree that nobody writes to, checks everything that must hold of it, and measures it. */
final class Shape {
    int nodes;
    int runs;
    int buckets;
    int entries;
    int deepest;

    private Shape() {}

    static <K, V> Shape of(OrderedMap<K, V> map) {
        Shape shape = new Shape();
        shape.check(map.tree, Node.read(map.tree.root, 0), null, 0, 256, 1);
        assertThat(map.tree.size()).as("size").isEqualTo(shape.entries);
        return shape;
    }

    /** Below {@code above}, in the run of values from {@code from} to before {@code to}. */
    private <K, V> void check(Tree<K, V> tree, Object content, @Nullable Node above, int from, int to, int level) {
        deepest = Math.max(deepest, level);
        if (content instanceof Bucket bucket) {
            buckets++;
            entries += bucket.size();
            if (above != null) {
                require(bucket.size() > 0, "an empty bucket under a node");
            }
            for (int i = 0; i < bucket.size(); i++) {
                if (i > 0) {
                    K key = tree.keyAt(bucket, i);
                    require(tree.compare(bucket, i - 1, key, tree.bits(key)) < 0, "keys out of order");
                }
                checkRun(tree, bucket, i, above, from, to);
            }
            if (bucket instanceof KeyBucket keys && bucket.size() > 1) {
                require(keys.from <= tree.mismatch(bucket), "words behind the first difference");
            }
            return;
        }
        assertThat(content).isInstanceOf(Node.class);
        Node node = (Node) content;
        nodes++;
        assertThat(node.slots.length).isBetween(2, 256);
        if (above != null) {
            assertThat(node.depth).isGreaterThan(above.depth);
        }
        Bucket first = first(node);
        Bucket last = last(node);
        K greatest = tree.keyAt(last, last.size() - 1);
        assertThat(tree.mismatch(first, greatest, tree.bits(greatest)))
                .as("where the least and the greatest key below a node differ")
                .isGreaterThanOrEqualTo(node.depth);
        checkRun(tree, first, 0, above, from, to);
        int start = 0;
        for (int i = 0; i < node.slots.length; i++) {
            int next = node.nextStart(start);
            runs++;
            for (int value = start; value < next; value++) {
                require(node.slotOf(value) == i, "a value in the wrong run");
            }
            check(tree, Node.read(node.slots, i), node, start, next, level + 1);
            start = next;
        }
        assertThat(start).isEqualTo(256);
    }

    private static <K, V> void checkRun(Tree<K, V> tree, Bucket bucket, int i, @Nullable Node above, int from, int to) {
        if (above != null) {
            int value = tree.byteAt(bucket, i, above.depth);
            require(from <= value && value < to, "a key in the wrong run");
        }
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }

    private static Bucket first(Node node) {
        Object content = Node.read(node.slots, 0);
        return content instanceof Node below ? first(below) : (Bucket) content;
    }

    private static Bucket last(Node node) {
        Object content = Node.read(node.slots, node.slots.length - 1);
        return content instanceof Node below ? last(below) : (Bucket) content;
    }
}
