package dev.tiebreak.art;

import java.io.Serializable;
import java.util.Comparator;

/** The order of a codec as a comparator, equal to every other of the same codec. */
@SuppressWarnings("serial") // serializable if the codec is: the built-in ones are
record CodecOrder<K>(KeyCodec<K> codec) implements Comparator<K>, Serializable {
    @Override
    public int compare(K a, K b) {
        return codec.compare(a, b);
    }
}
