package dev.tiebreak.message;

import dev.tiebreak.Codec;
import dev.tiebreak.internal.LockWait;
import dev.tiebreak.internal.Race;
import dev.tiebreak.message.Inbox.Once;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The deliveries of one call of {@link Inbox#onceAll}, and what is known of each. Used by one thread. */
final class Batch<R> {
    private final List<Delivery> deliveries;
    private final TreeMap<String, Delivery> distinct = new TreeMap<>(); // all batches lock in one order
    private final Map<String, R> results = new HashMap<>();
    private Set<String> fresh = Set.of();

    Batch(List<Delivery> deliveries) {
        this.deliveries = deliveries;
        for (Delivery delivery : deliveries) {
            Delivery unused = distinct.putIfAbsent(delivery.id(), delivery);
        }
    }

    /** The first one of each id. */
    Collection<Delivery> distinct() {
        return distinct.values();
    }

    /** Puts them in; false if the wait was over. */
    boolean put(
            Connection connection,
            InboxRows rows,
            Race.Round round,
            LockWait wait,
            Map<String, byte[]> kept,
            @Nullable Effect effect)
            throws SQLException {
        if (deliveries.isEmpty()) {
            return true;
        }
        Set<String> put = rows.putAll(connection, round, wait, distinct.values(), kept, effect);
        if (put == null) {
            return false;
        }
        fresh = put;
        return true;
    }

    /** Those that were not there before, in the order of the batch. */
    List<Delivery> fresh() {
        Set<String> seen = new HashSet<>();
        List<Delivery> found = new ArrayList<>();
        for (Delivery delivery : deliveries) {
            if (fresh.contains(delivery.id()) && seen.add(delivery.id())) {
                found.add(delivery);
            }
        }
        return found;
    }

    void result(Delivery delivery, R result) {
        results.put(delivery.id(), result);
    }

    /** What became of each; reads what was there before, if anything was. */
    List<Once<R>> outcomes(Connection connection, InboxRows rows, Codec<R> codec, Race.Round round)
            throws SQLException {
        Map<String, Receipt> there = Map.of();
        if (fresh.size() < distinct.size()) {
            List<String> old = new ArrayList<>(distinct.keySet());
            old.removeAll(fresh);
            there = rows.readAll(connection, old);
        }
        Set<String> seen = new HashSet<>();
        List<Once<R>> outcomes = new ArrayList<>(deliveries.size());
        for (Delivery delivery : deliveries) {
            String id = delivery.id();
            if (!fresh.contains(id)) {
                outcomes.add(Inbox.loser(round, id, delivery.fingerprint(), there.get(id), codec));
            } else {
                R result = Objects.requireNonNull(results.get(id));
                outcomes.add(seen.add(id) ? new Once.Applied<>(result) : again(delivery, result));
            }
        }
        return outcomes;
    }

    /** One more of an id whose first one is new in this very batch. */
    private Once<R> again(Delivery delivery, R result) {
        byte[] first = Objects.requireNonNull(distinct.get(delivery.id())).bytes();
        boolean other = first.length > 0 && delivery.bytes().length > 0 && !Arrays.equals(first, delivery.bytes());
        return other ? new Once.Mismatch<>(delivery.id()) : new Once.Duplicate<>(result);
    }

    List<Once<R>> busy(Race.Round round) {
        List<Once<R>> outcomes = new ArrayList<>(deliveries.size());
        for (int i = 0; i < deliveries.size(); i++) {
            outcomes.add(new Once.Busy<>(round.attempts(), round.waited()));
        }
        return outcomes;
    }
}
