package dev.tiebreak.prove.engine;

/**
 * What a search counted.
 *
 * @param interleavings runs that were judged
 * @param violations those that were bad
 * @param waits steps that waited
 * @param retries transactions that were run again
 * @param ties runs in which the server decided who of two waiting sessions goes first
 * @param deepest the most preemptions of a run
 * @param complete whether nothing was left out
 * @param stoppedBy what ended the search before that; empty if nothing did
 */
record Tally(
        long interleavings,
        long violations,
        long waits,
        long retries,
        long ties,
        int deepest,
        boolean complete,
        String stoppedBy) {}
