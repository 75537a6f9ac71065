package dev.tiebreak.benchmarks;

import java.util.List;

/** One entry of {@code benchmarks/run}: write the class, add it to {@link Main#BENCHMARKS}. */
public interface Benchmark {

    /** The word given to {@code benchmarks/run}. */
    String name();

    /** One line for the list of benchmarks. */
    String about();

    /**
     * Measures. Progress goes to stderr; stdout belongs to the table.
     *
     * @return the rows, in the order in which they are printed
     * @throws Exception whatever went wrong: the run ends with exit code 1 and no table
     */
    List<Row> run(Options options) throws Exception;
}
