/**
 * The library's own tables, as SQL that can be read, installed and checked.
 */
@NullMarked
@CheckReturnValue
package dev.tiebreak.schema;

import dev.tiebreak.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
