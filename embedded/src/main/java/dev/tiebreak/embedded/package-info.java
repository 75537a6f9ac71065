@NullMarked
package dev.tiebreak.embedded;

import org.jspecify.annotations.NullMarked;
