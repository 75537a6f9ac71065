/**
 * Many take from one count: every way to settle it, one word each.
 */
@NullMarked
@CheckReturnValue
package dev.tiebreak.stock;

import dev.tiebreak.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
