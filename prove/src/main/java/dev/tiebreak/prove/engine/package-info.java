/**
 * Runs schedules: sessions on threads and connections of their own, the search over all orders, and the judges.
 *
 * <p>Not exported; {@code dev.tiebreak.prove} is the front door.
 */
@NullMarked
package dev.tiebreak.prove.engine;

import org.jspecify.annotations.NullMarked;
