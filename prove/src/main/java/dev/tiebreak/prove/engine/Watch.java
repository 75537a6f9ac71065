package dev.tiebreak.prove.engine;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Asks the server which processes wait for which others; uses a connection that takes no part in the race. */
final class Watch implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String name = "tiebreak_watch_" + COUNT.incrementAndGet();
    private final Statement statement;

    Watch(Connection control) throws SQLException {
        statement = control.createStatement();
        statement.execute("PREPARE " + name + "(int[]) AS SELECT p,"
                + " pg_blocking_pids(p) || pg_safe_snapshot_blocking_pids(p) FROM unnest($1) p");
    }

    /** Of each process the processes it waits for, whoever they belong to; empty if it does not wait. */
    Map<Integer, Set<Integer>> blockers(int... pids) throws SQLException {
        String array = Arrays.stream(pids).mapToObj(String::valueOf).collect(Collectors.joining(",", "'{", "}'"));
        Map<Integer, Set<Integer>> blockers = new HashMap<>();
        try (ResultSet r = statement.executeQuery("EXECUTE " + name + "(" + array + ")")) {
            while (r.next()) {
                Set<Integer> of = new TreeSet<>();
                for (Object pid : (Object[]) r.getArray(2).getArray()) {
                    of.add((Integer) pid);
                }
                blockers.put(r.getInt(1), of);
            }
        }
        return blockers;
    }

    @Override
    public void close() throws SQLException {
        statement.execute("DEALLOCATE " + name);
        statement.close();
    }
}
