/** The commands: options in, exit code out. */
@NullMarked
package dev.tiebreak.app.cli;

import org.jspecify.annotations.NullMarked;
