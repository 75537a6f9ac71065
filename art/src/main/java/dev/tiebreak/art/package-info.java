@NullMarked
package dev.tiebreak.art;

import org.jspecify.annotations.NullMarked;
