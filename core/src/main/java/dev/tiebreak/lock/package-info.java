/**
 * Races for what is not a row: a name, a job that one process at a time may do.
 */
@NullMarked
@CheckReturnValue
package dev.tiebreak.lock;

import dev.tiebreak.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
