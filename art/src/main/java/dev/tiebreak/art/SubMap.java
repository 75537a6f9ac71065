package dev.tiebreak.art;

import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serial;
import java.io.Serializable;

/** A view of part of a map, or of all of it in descending order. */
final class SubMap<K, V> extends OrderedMap<K, V> implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    SubMap(Tree<K, V> tree, Range<K> range, boolean descending) {
        super(tree, range, descending);
    }

    @Serial
    private Object writeReplace() {
        return new Written<>(new ArtMap<>(tree), range, descending);
    }

    @Serial
    private void readObject(ObjectInputStream in) throws InvalidObjectException {
        throw new InvalidObjectException("written as " + Written.class.getName());
    }

    /** The whole map goes along, as with every view of a collection. */
    private record Written<K, V>(ArtMap<K, V> map, Range<K> range, boolean descending) implements Serializable {
        @Serial
        private Object readResolve() {
            return new SubMap<>(map.tree, range, descending);
        }
    }
}
