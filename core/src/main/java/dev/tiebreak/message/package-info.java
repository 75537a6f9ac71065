/**
 * Races of messages: the same one twice, and several out of order.
 */
@NullMarked
@CheckReturnValue
package dev.tiebreak.message;

import dev.tiebreak.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
