package dev.tiebreak.app.bench;

/** One strategy at work on one database: asked by many threads at once for one unit of an item. */
interface Seller extends AutoCloseable {
    /** Asks for one unit and waits for the answer; whatever it throws counts as an error. */
    Answer sell(long item) throws Exception;

    @Override
    void close();

    /** What a buyer is told. */
    enum Said {
        /** One unit is yours. */
        TAKEN,
        /** Nothing is left. */
        SOLD_OUT,
        /** Nothing was decided; try later. */
        BUSY
    }

    /**
     * A buyer's answer.
     *
     * @param said what the buyer is told
     * @param attempts how many times it was tried, at least 1
     */
    record Answer(Said said, int attempts) {}
}
