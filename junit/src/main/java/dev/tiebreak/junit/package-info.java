/** Race tests for JUnit: {@link dev.tiebreak.junit.RaceTest}. */
@NullMarked
package dev.tiebreak.junit;

import org.jspecify.annotations.NullMarked;
