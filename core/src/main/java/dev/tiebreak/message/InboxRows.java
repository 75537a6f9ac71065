package dev.tiebreak.message;

import dev.tiebreak.Binds;
import dev.tiebreak.Table;
import dev.tiebreak.internal.LockWait;
import dev.tiebreak.internal.Query;
import dev.tiebreak.internal.Race;
import dev.tiebreak.internal.Texts;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The statements of {@link Inbox}; their text is built once. */
final class InboxRows {
    private static final String FRESH = """
            WITH tiebreak_fresh AS (
                INSERT INTO {inbox} (inbox, id, fingerprint, result) VALUES (?, ?, ?, ?)
                ON CONFLICT (inbox, id) DO NOTHING RETURNING id){effect}
            SELECT 'fresh', CAST('' AS bytea), CAST('' AS bytea), {changed} FROM tiebreak_fresh
            UNION ALL
            SELECT state, fingerprint, result, 0 FROM {inbox}
            WHERE NOT EXISTS (SELECT FROM tiebreak_fresh) AND inbox = ? AND id = ?""";

    private static final String FRESH_ALL = """
            WITH tiebreak_given AS MATERIALIZED (
                SELECT * FROM unnest(?, ?, ?, ?) AS g (id, fingerprint, result, body)),
            tiebreak_fresh AS (
                INSERT INTO {inbox} (inbox, id, fingerprint, result)
                SELECT CAST(? AS text), id, fingerprint, result FROM tiebreak_given
                ON CONFLICT (inbox, id) DO NOTHING RETURNING id){effect}
            SELECT id, {changed} FROM tiebreak_fresh""";

    private static final String PURGE = """
            WITH old AS MATERIALIZED (
                SELECT inbox, id FROM {inbox}
                WHERE inbox = ? AND state = 'done' AND at <= (SELECT clock_timestamp()) - ? * interval '1 millisecond'
                ORDER BY at LIMIT ? FOR UPDATE SKIP LOCKED),
            gone AS (DELETE FROM {inbox} i USING old WHERE i.inbox = old.inbox AND i.id = old.id RETURNING 1)
            SELECT count(*) FROM gone""";

    private final Table table;
    private final String inbox;
    private final String fresh;
    private final String freshAll;
    private final String read;
    private final String readAll;
    private final String keep;
    private final String keepAll;
    private final String purge;
    private final Texts<String> effects;
    private final Texts<String> effectsAll;

    InboxRows(String schema, String inbox) {
        this.table = Table.of(schema, "inbox");
        this.inbox = inbox;
        this.fresh = sql(FRESH, "", "0");
        this.freshAll = sql(FRESH_ALL, "", "0");
        this.read = sql("SELECT state, fingerprint, result FROM {inbox} WHERE inbox = ? AND id = ?");
        this.readAll = sql("SELECT state, fingerprint, result, id FROM {inbox} WHERE inbox = ? AND id = ANY (?)");
        this.keep = sql("UPDATE {inbox} SET result = ? WHERE inbox = ? AND id = ? RETURNING 1");
        this.keepAll = sql("""
                UPDATE {inbox} i SET result = r.result FROM unnest(?, ?) AS r (id, result)
                WHERE i.inbox = ? AND i.id = r.id RETURNING 1""");
        this.purge = sql(PURGE);
        this.effects = new Texts<>(effect -> sql(
                FRESH,
                Effect.within(effect, "SELECT id, CAST(? AS bytea) AS body FROM tiebreak_fresh"),
                Effect.CHANGED));
        // Not a join, which a plan made for few rows would do row by row: IN as a value is always a hash.
        this.effectsAll = new Texts<>(effect -> sql(
                FRESH_ALL,
                Effect.within(
                        effect,
                        "SELECT id, body FROM tiebreak_given WHERE (id IN (SELECT id FROM tiebreak_fresh)) IS TRUE"),
                Effect.CHANGED));
    }

    private String sql(String template) {
        return template.replace("{inbox}", table.sql());
    }

    private String sql(String template, String effect, String changed) {
        return sql(template.replace("{changed}", changed)).replace("{effect}", effect);
    }

    Table table() {
        return table;
    }

    String inbox() {
        return inbox;
    }

    /** Puts a delivery in: fresh, or what is there; null if the wait was over. */
    @Nullable
    Receipt put(Connection connection, Race.Round round, LockWait wait, Delivery delivery, byte[] fingerprint)
            throws SQLException {
        return wait.run(
                connection,
                round,
                fresh,
                binds -> {
                    addKey(binds, delivery.id());
                    binds.addObject(fingerprint);
                    binds.addObject(Delivery.NONE);
                    addKey(binds, delivery.id());
                },
                Receipt::first);
    }

    /** The same with its result and its effect. */
    @Nullable
    Receipt put(
            Connection connection,
            Race.Round round,
            LockWait wait,
            Delivery delivery,
            byte[] fingerprint,
            byte[] result,
            Effect effect)
            throws SQLException {
        try {
            return wait.run(
                    connection,
                    round,
                    effects.of(effect.sql()),
                    binds -> {
                        addKey(binds, delivery.id());
                        binds.addObject(fingerprint);
                        binds.addObject(result);
                        binds.addObject(delivery.bytes());
                        effect.bind(binds);
                        addKey(binds, delivery.id());
                    },
                    Receipt::first);
        } catch (SQLException e) {
            throw effect.explained(e);
        }
    }

    /** What is there. */
    Receipt read(Connection connection, String id) throws SQLException {
        return Query.run(connection, read, binds -> addKey(binds, id), Receipt::first);
    }

    /** Keeps the result of a fresh delivery. */
    void keep(Connection connection, String id, byte[] result) throws SQLException {
        boolean kept = Query.run(
                connection,
                keep,
                binds -> {
                    binds.addObject(result);
                    addKey(binds, id);
                },
                rows -> rows.next());
        requireKept(kept ? 1 : 0, 1);
    }

    /** Puts several in, in the order given, which is that of all batches; returns the fresh ids, null if the wait was over. */
    @Nullable
    Set<String> putAll(
            Connection connection,
            Race.Round round,
            LockWait wait,
            Collection<Delivery> deliveries,
            Map<String, byte[]> results,
            @Nullable Effect effect)
            throws SQLException {
        List<String> ids = new ArrayList<>();
        List<byte[]> fingerprints = new ArrayList<>();
        List<byte[]> answers = new ArrayList<>();
        List<byte[]> bodies = new ArrayList<>();
        for (Delivery delivery : deliveries) {
            ids.add(delivery.id());
            fingerprints.add(delivery.fingerprint());
            answers.add(results.getOrDefault(delivery.id(), Delivery.NONE));
            bodies.add(effect == null ? Delivery.NONE : delivery.bytes());
        }
        Array[] columns = {
            texts(connection, ids),
            bytes(connection, fingerprints),
            bytes(connection, answers),
            bytes(connection, bodies)
        };
        try {
            return wait.run(
                    connection,
                    round,
                    effect == null ? freshAll : effectsAll.of(effect.sql()),
                    binds -> {
                        for (Array column : columns) {
                            binds.addObject(column);
                        }
                        binds.addObject(inbox);
                        if (effect != null) {
                            effect.bind(binds);
                        }
                    },
                    rows -> {
                        Set<String> found = new HashSet<>();
                        while (rows.next()) {
                            found.add(rows.getString(1));
                        }
                        return found;
                    });
        } catch (SQLException e) {
            throw effect == null ? e : effect.explained(e);
        }
    }

    /** What is there of each id. */
    Map<String, Receipt> readAll(Connection connection, Collection<String> ids) throws SQLException {
        Array wanted = texts(connection, ids);
        return Query.run(
                connection,
                readAll,
                binds -> {
                    binds.addObject(inbox);
                    binds.addObject(wanted);
                },
                rows -> {
                    Map<String, Receipt> found = new HashMap<>();
                    while (rows.next()) {
                        found.put(rows.getString(4), Receipt.current(rows));
                    }
                    return found;
                });
    }

    /** Keeps the results of fresh deliveries. */
    void keepAll(Connection connection, Map<String, byte[]> results) throws SQLException {
        Array ids = texts(connection, results.keySet());
        Array answers = bytes(connection, results.values());
        int kept = Query.run(
                connection,
                keepAll,
                binds -> {
                    binds.addObject(ids);
                    binds.addObject(answers);
                    binds.addObject(inbox);
                },
                rows -> {
                    int count = 0;
                    while (rows.next()) {
                        count++;
                    }
                    return count;
                });
        requireKept(kept, results.size());
    }

    /** Deletes up to so many receipts of that age or more. */
    int purge(Connection connection, Duration age, int atMost) throws SQLException {
        return Query.run(
                connection,
                purge,
                binds -> {
                    binds.addObject(inbox);
                    binds.add(age.toMillis());
                    binds.add(atMost);
                },
                rows -> {
                    boolean unused = rows.next();
                    return rows.getInt(1);
                });
    }

    private void addKey(Binds binds, String id) throws SQLException {
        binds.addObject(inbox);
        binds.addObject(id);
    }

    private void requireKept(int kept, int expected) {
        if (kept != expected) {
            throw new IllegalStateException((expected - kept) + " receipts of " + inbox
                    + " were gone before their results could be kept: who deletes from " + table + "?");
        }
    }

    private static Array texts(Connection connection, Collection<String> values) throws SQLException {
        return connection.createArrayOf("text", values.toArray());
    }

    private static Array bytes(Connection connection, Collection<byte[]> values) throws SQLException {
        return connection.createArrayOf("bytea", values.toArray(new byte[0][]));
    }
}
