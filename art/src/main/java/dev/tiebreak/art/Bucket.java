package dev.tiebreak.art;

/**
 * A leaf: the entries of one run, sorted. Immutable; a write puts a changed copy in the slot.
 *
 * <p>A bucket under a node may be left empty by a removal until the node is tidied. It then still names the key that was
 * removed, because the node's common prefix is known from the keys below it alone.
 */
abstract class Bucket {
    final Object[] values;

    Bucket(Object[] values) {
        this.values = values;
    }

    final int size() {
        return values.length;
    }

    /** A copy with room for one more at index {@code at}. */
    static Object[] widened(Object[] array, int at, Object added) {
        Object[] copy = new Object[array.length + 1];
        System.arraycopy(array, 0, copy, 0, at);
        copy[at] = added;
        System.arraycopy(array, at, copy, at + 1, array.length - at);
        return copy;
    }

    static long[] widened(long[] array, int at, long added) {
        long[] copy = new long[array.length + 1];
        System.arraycopy(array, 0, copy, 0, at);
        copy[at] = added;
        System.arraycopy(array, at, copy, at + 1, array.length - at);
        return copy;
    }

    static Object[] narrowed(Object[] array, int at) {
        Object[] copy = new Object[array.length - 1];
        System.arraycopy(array, 0, copy, 0, at);
        System.arraycopy(array, at + 1, copy, at, copy.length - at);
        return copy;
    }

    static long[] narrowed(long[] array, int at) {
        long[] copy = new long[array.length - 1];
        System.arraycopy(array, 0, copy, 0, at);
        System.arraycopy(array, at + 1, copy, at, copy.length - at);
        return copy;
    }

    static Object[] replaced(Object[] array, int at, Object value) {
        Object[] copy = array.clone();
        copy[at] = value;
        return copy;
    }

    static Object[] joined(Object[] a, Object[] b) {
        Object[] copy = new Object[a.length + b.length];
        System.arraycopy(a, 0, copy, 0, a.length);
        System.arraycopy(b, 0, copy, a.length, b.length);
        return copy;
    }

    static long[] joined(long[] a, long[] b) {
        long[] copy = new long[a.length + b.length];
        System.arraycopy(a, 0, copy, 0, a.length);
        System.arraycopy(b, 0, copy, a.length, b.length);
        return copy;
    }
}
