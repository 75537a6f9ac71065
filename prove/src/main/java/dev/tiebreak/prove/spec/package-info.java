/**
 * PostgreSQL's isolation test files, with the directives that turn one into a race to prove.
 */
@NullMarked
package dev.tiebreak.prove.spec;

import org.jspecify.annotations.NullMarked;
