package dev.tiebreak.app.bench;

/**
 * One repeat of one case.
 *
 * @param perSecond units taken a second
 * @param tally what the clients saw; {@link Load.Tally#NONE} for pgbench, whose clients are its own
 * @param commits commits that the server counted
 * @param exact whether what was sold is what left the shelf, without an error
 */
record Sample(double perSecond, Load.Tally tally, long commits, boolean exact) {
    /** A case that was prepared and not measured. */
    static final Sample NONE = new Sample(0, Load.Tally.NONE, 0, true);
}
