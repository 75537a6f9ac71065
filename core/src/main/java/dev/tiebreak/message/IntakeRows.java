package dev.tiebreak.message;

import dev.tiebreak.Binds;
import dev.tiebreak.Table;
import dev.tiebreak.internal.LockWait;
import dev.tiebreak.internal.Query;
import dev.tiebreak.internal.Race;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** The statements of {@link Intake}; their text is built once. */
final class IntakeRows {
    private static final String ACCEPT = """
            WITH fresh AS (
                INSERT INTO {inbox} (inbox, id, state, fingerprint, body, until)
                VALUES (?, ?, 'received', ?, ?, clock_timestamp()) ON CONFLICT (inbox, id) DO NOTHING RETURNING 1)
            SELECT 'fresh', CAST('' AS bytea), CAST('' AS bytea) FROM fresh
            UNION ALL
            SELECT state, fingerprint, result FROM {inbox}
            WHERE NOT EXISTS (SELECT FROM fresh) AND inbox = ? AND id = ?""";

    private static final String CLAIM = """
            WITH due AS MATERIALIZED (
                SELECT inbox, id FROM {inbox}
                WHERE inbox = ? AND state <> 'done' AND until <= (SELECT clock_timestamp())
                ORDER BY until LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
            UPDATE {inbox} i SET state = 'working', token = token + 1,
                until = clock_timestamp() + ? * interval '1 millisecond', at = clock_timestamp()
            FROM due WHERE i.inbox = due.inbox AND i.id = due.id RETURNING i.id, i.body, i.token, i.until""";

    private static final String MOVE = """
            UPDATE {inbox} SET state = ?, until = clock_timestamp() + ? * interval '1 millisecond', at = clock_timestamp()
            WHERE inbox = ? AND id = ? AND state = 'working' AND token = ? RETURNING until""";

    private static final String FINISH = """
            UPDATE {inbox} SET state = 'done', result = ?, body = '', until = NULL, at = clock_timestamp()
            WHERE inbox = ? AND id = ? AND state = 'working' AND token = ? RETURNING 1""";

    private final Table table;
    private final String inbox;
    private final String accept;
    private final String claim;
    private final String move;
    private final String finish;
    private final String read;
    private final String now;

    IntakeRows(String schema, String inbox) {
        this.table = Table.of(schema, "inbox");
        this.inbox = inbox;
        this.accept = sql(ACCEPT);
        this.claim = sql(CLAIM);
        this.move = sql(MOVE);
        this.finish = sql(FINISH);
        this.read = sql("SELECT state, fingerprint, result FROM {inbox} WHERE inbox = ? AND id = ?");
        this.now = sql("SELECT state = 'done', token, result FROM {inbox} WHERE inbox = ? AND id = ?");
    }

    private String sql(String template) {
        return template.replace("{inbox}", table.sql());
    }

    Table table() {
        return table;
    }

    String inbox() {
        return inbox;
    }

    /** Puts a delivery in: fresh, or what is there; null if the wait was over. */
    @Nullable
    Receipt accept(Connection connection, Race.Round round, LockWait wait, Delivery delivery, byte[] fingerprint)
            throws SQLException {
        return wait.run(
                connection,
                round,
                accept,
                binds -> {
                    addKey(binds, delivery.id());
                    binds.addObject(fingerprint);
                    binds.addObject(delivery.bytes());
                    addKey(binds, delivery.id());
                },
                Receipt::first);
    }

    /** What is there. */
    Receipt read(Connection connection, String id) throws SQLException {
        return Query.run(connection, read, binds -> addKey(binds, id), Receipt::first);
    }

    /** Takes the one that is due first; null if none is that others do not hold. */
    Intake.@Nullable Task claim(Connection connection, Duration time) throws SQLException {
        return Query.<Intake.@Nullable Task>run(
                connection,
                claim,
                binds -> {
                    binds.addObject(inbox);
                    binds.add(time.toMillis());
                },
                rows -> rows.next()
                        ? new Intake.Task(
                                Delivery.of(rows.getString(1), rows.getBytes(2)), rows.getLong(3), instant(rows, 4))
                        : null);
    }

    /** Keeps it in this state for so long, or gives it this state; null if the token is not the last one. */
    @Nullable
    Instant move(Connection connection, Intake.Task task, String state, Duration time) throws SQLException {
        return Query.<@Nullable Instant>run(
                connection,
                move,
                binds -> {
                    binds.addObject(state);
                    binds.add(time.toMillis());
                    addKey(binds, task.delivery().id());
                    binds.add(task.token());
                },
                rows -> rows.next() ? instant(rows, 1) : null);
    }

    /** False if the token is not the last one, or it is finished already. */
    boolean finish(Connection connection, Intake.Task task, byte[] result) throws SQLException {
        return Query.run(
                connection,
                finish,
                binds -> {
                    binds.addObject(result);
                    addKey(binds, task.delivery().id());
                    binds.add(task.token());
                },
                ResultSet::next);
    }

    /** How it is, for one who has lost it. */
    Now now(Connection connection, Intake.Task task) throws SQLException {
        return Query.run(
                connection,
                now,
                binds -> addKey(binds, task.delivery().id()),
                rows -> rows.next()
                        ? new Now(rows.getBoolean(1) ? rows.getBytes(3) : null, rows.getLong(2))
                        : new Now(null, 0));
    }

    private void addKey(Binds binds, String id) throws SQLException {
        binds.addObject(inbox);
        binds.addObject(id);
    }

    private static Instant instant(ResultSet rows, int column) throws SQLException {
        return rows.getObject(column, OffsetDateTime.class).toInstant();
    }

    /** How a delivery is. */
    static final class Now {
        /** Its result; null if it is not finished. */
        final byte @Nullable [] result;

        /** That of its last claim; 0 if it is not there any more. */
        final long token;

        Now(byte @Nullable [] result, long token) {
            this.result = result;
            this.token = token;
        }
    }
}
