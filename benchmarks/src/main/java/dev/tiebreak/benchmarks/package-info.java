/** The frame of the benchmarks: each is one class that answers rows; {@code benchmarks/run NAME} starts it. */
@NullMarked
package dev.tiebreak.benchmarks;

import org.jspecify.annotations.NullMarked;
