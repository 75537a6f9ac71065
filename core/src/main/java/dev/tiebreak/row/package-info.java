/**
 * Races for whole rows.
 */
@NullMarked
@CheckReturnValue
package dev.tiebreak.row;

import dev.tiebreak.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
