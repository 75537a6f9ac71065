/** The strategies side by side: one sale, or a load kept up for seconds, each row proving that it is exact. */
@NullMarked
package dev.tiebreak.app.bench;

import org.jspecify.annotations.NullMarked;
