package dev.tiebreak.art;

/** Collects, in order, the runs that a node is made of: leaves empty buckets out and joins small neighbours. */
final class Assembly {
    private final Tree<?, ?> tree;
    private final int depth;
    private final int[] starts;
    private final Object[] contents;
    private int runs;
    private Bucket emptied;

    Assembly(Tree<?, ?> tree, int depth, int most) {
        this.tree = tree;
        this.depth = depth;
        starts = new int[most];
        contents = new Object[most];
        emptied = tree.empty();
    }

    void add(int start, Object content) {
        if (content instanceof Bucket bucket && bucket.size() == 0) {
            emptied = bucket;
        } else if (runs > 0 && tree.joinable(contents[runs - 1], content)) {
            contents[runs - 1] = tree.joined((Bucket) contents[runs - 1], (Bucket) content);
        } else {
            starts[runs] = start;
            contents[runs++] = content;
        }
    }

    /** A node, or what the only run holds; an empty bucket, naming a removed key if there was one, if there is no run. */
    Object made() {
        return switch (runs) {
            case 0 -> emptied;
            case 1 -> contents[0];
            default -> new Node(depth, starts, contents, runs);
        };
    }
}
