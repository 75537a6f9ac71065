/**
 * Runs spec files as PostgreSQL's own isolation tester does, and prints what it prints.
 */
@NullMarked
package dev.tiebreak.prove.suite;

import org.jspecify.annotations.NullMarked;
