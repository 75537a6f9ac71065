package dev.tiebreak.prove.suite;

import dev.tiebreak.prove.spec.Permutation.Marker;
import dev.tiebreak.prove.spec.Permutation.Turn;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGNotification;

/*
 * The order of every look at a session decides the order of the printed lines, so it follows the stock tester exactly: a
 * step that is silent for 10 ms is asked for ("is it blocked?"); a blocked step is put aside and looked at again after
 * every later step; a notice is printed when its session is looked at, not when it arrives; markers hold back the report
 * of a step that has ended.
 */
/** Runs the steps of one permutation, each started when the one before has ended or waits. */
final class Schedule {
    private static final long SILENCE_MILLIS = 10;

    private final Tester tester;
    private final List<Turn> turns;
    private final Map<Client, Turn> active = new HashMap<>();
    private final List<Turn> waiting = new ArrayList<>();
    /** How many notices the marked step's blocker must have sent, by marker. */
    private final IdentityHashMap<Marker.Notices, Integer> targets = new IdentityHashMap<>();

    Schedule(Tester tester, List<Turn> turns) {
        this.tester = tester;
        this.turns = turns;
    }

    void run() throws SQLException {
        for (Turn turn : turns) {
            Client client = tester.clientOf(turn);
            freeUp(client);
            client.start(tester.sqlOf(turn));
            active.put(client, turn);
            for (Marker marker : turn.markers()) {
                if (marker instanceof Marker.Notices notices) {
                    int sent = tester.clientOf(notices.step()).notices();
                    targets.put(notices, sent + notices.count());
                }
            }
            boolean waits = !completes(turn, Patience.UNTIL_BLOCKED, Report.FIRST);
            complete(Patience.UNTIL_BLOCKED);
            if (waits) {
                waiting.add(turn);
            }
        }
        complete(Patience.TO_THE_END);
        if (!waiting.isEmpty()) {
            throw new TesterException("failed to complete permutation: steps wait for each other: " + names(waiting));
        }
    }

    /** How long a look at a step may last. */
    private enum Patience {
        UNTIL_BLOCKED,
        TO_THE_END
    }

    /** Whether the step's text has been printed already. */
    private enum Report {
        FIRST,
        AGAIN
    }

    /** Waits until a session has ended the step it is still running. */
    private void freeUp(Client client) throws SQLException {
        long start = System.nanoTime();
        Turn old = active.get(client);
        while (old != null) {
            if (completes(old, Patience.TO_THE_END, Report.AGAIN)) {
                waiting.remove(old);
            }
            complete(Patience.UNTIL_BLOCKED);
            old = active.get(client);
            if (old != null
                    && System.nanoTime() - start > 2 * tester.stepLimit().toNanos()) {
                throw new TesterException("step " + old.step() + " timed out after "
                        + 2 * tester.stepLimit().toSeconds() + " seconds: its markers are never satisfied");
            }
        }
    }

    /** Looks at all waiting steps; again, if one that ended may have satisfied a marker of another. */
    private void complete(Patience patience) throws SQLException {
        boolean again = true;
        while (again) {
            int before = waiting.size();
            boolean marked = false;
            for (Iterator<Turn> each = waiting.iterator(); each.hasNext(); ) {
                Turn turn = each.next();
                if (completes(turn, patience, Report.AGAIN)) {
                    each.remove();
                } else {
                    marked |= !turn.markers().isEmpty();
                }
            }
            again = marked && waiting.size() < before;
        }
    }

    /** Whether the step has ended and was reported; else it goes on waiting. */
    private boolean completes(Turn turn, Patience patience, Report report) throws SQLException {
        Client client = tester.clientOf(turn);
        boolean first = report == Report.FIRST;
        if (first && turn.markers().contains(new Marker.Once())) {
            printWaiting(turn);
            return false;
        }
        boolean blocked = !ends(turn, client, patience);
        tester.print(client.freshNotices());
        if (blocked || heldBack(turn)) {
            if (first) {
                printWaiting(turn);
            }
            return false;
        }
        tester.print("step " + turn.step() + (first ? ": " + tester.sqlOf(turn) : ": <... completed>") + "\n");
        Answer answer = client.take();
        answer.tables().forEach(tester::print);
        tester.print(answer.errorText());
        for (PGNotification notification : client.notifications()) {
            tester.print(client.name() + ": NOTIFY \"" + notification.getName() + "\" with payload \""
                    + notification.getParameter() + "\" from " + tester.senderWith(notification.getPID()) + "\n");
        }
        active.remove(client);
        return true;
    }

    /** Whether the step ends before it is seen to be blocked. */
    private boolean ends(Turn turn, Client client, Patience patience) throws SQLException {
        long start = System.nanoTime();
        boolean cancelled = false;
        while (!client.endsWithin(SILENCE_MILLIS)) {
            if (patience == Patience.UNTIL_BLOCKED && tester.isBlocked(client)) {
                return client.endsOnceRead();
            }
            long waited = System.nanoTime() - start;
            if (waited > 2 * tester.stepLimit().toNanos()) {
                throw new TesterException("step " + turn.step() + " timed out after "
                        + TimeUnit.NANOSECONDS.toSeconds(waited) + " seconds, although it was cancelled");
            }
            if (!cancelled && waited > tester.stepLimit().toNanos()) {
                tester.print("isolationtester: canceling step " + turn.step() + " after "
                        + TimeUnit.NANOSECONDS.toSeconds(waited) + " seconds\n");
                client.cancel();
                cancelled = true;
            }
        }
        return true;
    }

    private boolean heldBack(Turn turn) {
        for (Marker marker : turn.markers()) {
            boolean holds =
                    switch (marker) {
                        case Marker.Once once -> false;
                        case Marker.After after -> {
                            Turn other = active.get(tester.clientOf(after.step()));
                            yield other != null && other.step().equals(after.step());
                        }
                        case Marker.Notices notices ->
                            tester.clientOf(notices.step()).notices() < targets.getOrDefault(notices, 0);
                    };
            if (holds) {
                return true;
            }
        }
        return false;
    }

    private void printWaiting(Turn turn) {
        tester.print("step " + turn.step() + ": " + tester.sqlOf(turn) + " <waiting ...>\n");
    }

    private static List<String> names(List<Turn> turns) {
        return turns.stream().map(Turn::step).toList();
    }
}
