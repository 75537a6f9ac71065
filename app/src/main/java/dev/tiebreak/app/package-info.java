/** The floor of the commands: the terminal, the database they run on, and what is said when something is wrong. */
@NullMarked
package dev.tiebreak.app;

import org.jspecify.annotations.NullMarked;
