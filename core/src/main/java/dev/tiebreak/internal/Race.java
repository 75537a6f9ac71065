package dev.tiebreak.internal;

import dev.tiebreak.RaceListener;
import java.time.Duration;

/**
 * A race's name and who hears of its outcomes. Immutable and thread-safe.
 *
 * @param listener already {@link RaceListener#guarded()}
 */
public record Race(String name, RaceListener listener) {
    /** A race that nobody listens to. */
    public static Race of(String name) {
        return new Race(name, RaceListener.none());
    }

    /** The same under another name. */
    public Race named(String other) {
        if (other.isBlank()) {
            throw new IllegalArgumentException("a race needs a name that is not blank");
        }
        return new Race(other, listener);
    }

    /** The same with a listener, whose failures are logged and dropped. */
    public Race listening(RaceListener other) {
        return new Race(name, other.guarded());
    }

    /** Begins one call, settled by the given strategy. */
    public Round begin(String strategy) {
        return new Round(strategy);
    }

    /** One call: its attempts, the time since it began, and the event at its end. Used by one thread. */
    public final class Round {
        private final String strategy;
        private final long began = System.nanoTime();
        private int attempts = 1;

        private Round(String strategy) {
            this.strategy = strategy;
        }

        /** Counts one attempt more; false, and nothing counted, if that would be more than {@code atMost}. */
        public boolean again(int atMost) {
            if (attempts >= atMost) {
                return false;
            }
            attempts++;
            return true;
        }

        /** How many attempts were made, at least 1. */
        public int attempts() {
            return attempts;
        }

        /** How long it is since the call began. */
        public Duration waited() {
            return Duration.ofNanos(System.nanoTime() - began);
        }

        /** Tells the listener and hands the outcome on. */
        public <O> O settled(O outcome) {
            listener.settled(
                    new RaceListener.Event(name, strategy, outcome.getClass().getSimpleName(), attempts, waited()));
            return outcome;
        }
    }
}
