package dev.tiebreak.art;

import org.jspecify.annotations.Nullable;

/**
 * What a write makes of a key's value. Asked again each time another write to the same bucket wins.
 *
 * @param <V> the type of the values
 */
@FunctionalInterface
interface Change<V> {
    /**
     * The value to store; null to remove the key or leave it absent; {@code present} itself to change nothing.
     *
     * @param present the value now, null if the key is absent
     */
    @Nullable
    V of(@Nullable V present);

    /**
     * A change made by the user's function: keeps its answer for as long as the value it was asked about stays, so that
     * the function does not run again because of a neighbour's write.
     */
    abstract class Computed<V> implements Change<V> {
        private boolean asked;
        private @Nullable V about;
        private @Nullable V answer;

        abstract @Nullable V compute(@Nullable V present);

        @SuppressWarnings("ReferenceEquality") // the very value: equal is not the same to the function
        @Override
        public final @Nullable V of(@Nullable V present) {
            if (!asked || about != present) {
                answer = compute(present);
                about = present;
                asked = true;
            }
            return answer;
        }

        /** What was stored; null if nothing. */
        final @Nullable V answer() {
            return answer;
        }
    }
}
