/**
 * What every race uses: the transaction runner that cannot lie, retries, tables and keys.
 */
@NullMarked
@CheckReturnValue
package dev.tiebreak;

import org.jspecify.annotations.NullMarked;
