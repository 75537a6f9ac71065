/** Proves spec files: finds them, runs them one after another, and keeps what is needed to run a violation again. */
@NullMarked
package dev.tiebreak.app.prove;

import org.jspecify.annotations.NullMarked;
