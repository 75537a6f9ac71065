/**
 * What the statements of every race have in common: one question and its answer, a bounded wait, the event at the end. Not
 * exported.
 */
@NullMarked
@CheckReturnValue
package dev.tiebreak.internal;

import dev.tiebreak.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
