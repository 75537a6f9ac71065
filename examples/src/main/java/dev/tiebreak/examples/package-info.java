/** Small programs that show the library at work; the races as SQL lie beside them as {@code *.spec} files. */
@NullMarked
package dev.tiebreak.examples;

import org.jspecify.annotations.NullMarked;
