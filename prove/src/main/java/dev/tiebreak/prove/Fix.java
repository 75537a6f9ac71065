package dev.tiebreak.prove;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A known cure, put into the SQL, and what the prover says about the race then.
 *
 * @param name such as {@code FOR NO KEY UPDATE on the reads}
 * @param verdict {@code PROVED}, {@code VIOLATED} or {@code UNDECIDED}
 * @param interleavings how many runs were judged
 * @param waits how many steps waited for a lock, over all runs
 * @param retries how many transactions were run again, over all runs
 * @param changes the SQL that differs
 */
public record Fix(String name, String verdict, long interleavings, long waits, long retries, List<Change> changes) {
    /** How the name of a cure ends that needs the caller to run a failed transaction again. */
    private static final String RETRY = "+ retry";
    /** How much of what did not change is shown before a change, and half as much after it. */
    private static final int CONTEXT = 40;

    /** Takes a copy of the changes. */
    public Fix {
        changes = List.copyOf(changes);
    }

    /** Whether the race is proved with this cure. */
    public boolean proved() {
        return verdict.equals("PROVED");
    }

    /** The verdict on the race with this cure, in one line. */
    public String summary() {
        return name + ": " + verdict + " (" + interleavings + ")";
    }

    /**
     * What the cure changes, for people: its name and the steps, then what is replaced after {@code "- "}, and by what after
     * {@code "+ "}. Steps that change in the same way are named together; what does not change is cut short with {@code …}.
     */
    public List<String> difference() {
        Map<List<String>, List<String>> steps = new LinkedHashMap<>();
        for (Change change : changes) {
            steps.computeIfAbsent(change.lines(), lines -> new ArrayList<>())
                    .add(change.step().equals("setup") ? "setup of " + change.session() : change.step());
        }
        List<String> all = new ArrayList<>();
        steps.forEach((lines, names) -> {
            all.add(name + ", in " + String.join(", ", names) + ":");
            all.addAll(lines);
        });
        if (name.endsWith(RETRY)) {
            all.add("+ and around it: run the transaction again on 40001 and 40P01, up to 3 times");
        }
        return all;
    }

    /**
     * A step whose SQL differs.
     *
     * @param session whose step it is
     * @param step its name, or {@code setup}
     * @param before the SQL as written
     * @param after the SQL with the cure
     */
    public record Change(String session, String step, String before, String after) {
        private List<String> lines() {
            int most = Math.min(before.length(), after.length());
            int same = 0;
            while (same < most && before.charAt(same) == after.charAt(same)) {
                same++;
            }
            int end = 0;
            while (end < most - same
                    && before.charAt(before.length() - 1 - end) == after.charAt(after.length() - 1 - end)) {
                end++;
            }
            int start = same <= CONTEXT ? 0 : before.lastIndexOf(' ', same - CONTEXT) + 1;
            return List.of("- " + cut(before, start, end), "+ " + cut(after, start, end));
        }

        private static String cut(String sql, int start, int end) {
            int blank = sql.indexOf(' ', sql.length() - end + CONTEXT / 2);
            boolean rest = blank >= 0 && blank < sql.length() - CONTEXT / 2;
            return (start == 0 ? "" : "… ") + (rest ? sql.substring(start, blank) + " …" : sql.substring(start));
        }
    }
}
