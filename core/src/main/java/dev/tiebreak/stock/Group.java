package dev.tiebreak.stock;

import dev.tiebreak.Key;
import dev.tiebreak.stock.Stock.Take;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The requests of one batch for one key, first come first served. */
final class Group {
    final Key key;
    final List<Request> requests = new ArrayList<>();

    /** What all of them want together; no more than the largest long. */
    long total;

    /** What each of them wants; 0 if they want different numbers. */
    long each;

    private long least = Long.MAX_VALUE;
    private boolean answered;
    private boolean undecided;

    private Group(Key key) {
        this.key = key;
    }

    /** In the order in which the keys first came. */
    static List<Group> of(List<Request> batch) {
        List<Group> groups = new ArrayList<>();
        Map<Key, Group> byKey = new HashMap<>();
        Group last = null;
        for (Request request : batch) {
            if (last == null || !last.key.equals(request.key)) {
                last = byKey.get(request.key);
                if (last == null) {
                    last = new Group(request.key);
                    byKey.put(request.key, last);
                    groups.add(last);
                }
            }
            last.add(request);
        }
        return groups;
    }

    private void add(Request request) {
        each = requests.isEmpty() || each == request.n ? request.n : 0;
        least = Math.min(least, request.n);
        total = total > Long.MAX_VALUE - request.n ? Long.MAX_VALUE : total + request.n;
        requests.add(request);
    }

    boolean answered() {
        return answered;
    }

    /** Whether its row was found, but one statement could not say who gets what. */
    boolean undecided() {
        return undecided;
    }

    /**
     * Answers by what the statement found and granted; not if it could not decide, because different numbers do not all fit.
     */
    void answer(long found, long granted) {
        if (granted == 0 && each == 0 && found >= least) {
            undecided = true;
            return;
        }
        answered = true;
        long left = found;
        long rest = granted;
        for (Request request : requests) {
            if (rest >= request.n) {
                rest -= request.n;
                left -= request.n;
                request.answer(new Take.Taken(left));
            } else {
                request.answer(new Take.SoldOut(found - granted));
            }
        }
    }

    /** How much of what is there the requests get, each in its turn. */
    long inTurn(long found) {
        long left = found;
        for (Request request : requests) {
            if (left >= request.n) {
                left -= request.n;
            }
        }
        return found - left;
    }

    /** Answers as {@link #inTurn} has decided. */
    void answerInTurn(long found) {
        answered = true;
        long left = found;
        for (Request request : requests) {
            if (left >= request.n) {
                left -= request.n;
                request.answer(new Take.Taken(left));
            } else {
                request.answer(new Take.SoldOut(left));
            }
        }
    }

    void answerAbsent() {
        answered = true;
        requests.forEach(r -> r.answer(new Take.Absent(key)));
    }

    void answerBusy(int attempts) {
        answered = true;
        requests.forEach(r -> r.answer(r.busy(attempts)));
    }
}
