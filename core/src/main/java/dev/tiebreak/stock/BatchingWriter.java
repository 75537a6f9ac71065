package dev.tiebreak.stock;

/** One writer. */
public final class BatchingWriter {
    private BatchingWriter() {}

    /** What became of a request. */
    public sealed interface Answer permits Stock.Take, Unknown {
        /** The winning record, or {@link dev.tiebreak.Lost}. */
        Stock.Take.Taken orRollback();
    }

    /** Perhaps done. */
    public record Unknown(String id) implements Answer {
        @Override
        public Stock.Take.Taken orRollback() {
            throw new dev.tiebreak.Lost(this);
        }
    }
}
