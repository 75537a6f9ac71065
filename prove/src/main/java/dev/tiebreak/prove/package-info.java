@NullMarked
package dev.tiebreak.prove;

import org.jspecify.annotations.NullMarked;
