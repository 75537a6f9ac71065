package dev.tiebreak.art;

/**
 * The last content of a slot of a node that is being replaced: no write gets past it.
 *
 * @param content the {@link Node} or {@link Bucket} that was in the slot
 */
record Frozen(Object content) {
    /** What a slot says to a reader, frozen or not. */
    static Object thawed(Object content) {
        return content instanceof Frozen frozen ? frozen.content : content;
    }
}
