/**
 * The front door: {@link dev.tiebreak.prove.Proof} for ordinary code, {@link dev.tiebreak.prove.SpecProof} for spec files,
 * and the {@link dev.tiebreak.prove.Verdict} of both.
 */
@NullMarked
package dev.tiebreak.prove;

import org.jspecify.annotations.NullMarked;
