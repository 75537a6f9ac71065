/**
 * How one run is shown to people: as text, and as one self-contained HTML file.
 */
@NullMarked
package dev.tiebreak.prove.picture;

import org.jspecify.annotations.NullMarked;
