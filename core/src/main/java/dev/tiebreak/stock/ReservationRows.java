package dev.tiebreak.stock;

import dev.tiebreak.Binds;
import dev.tiebreak.Key;
import dev.tiebreak.Table;
import dev.tiebreak.internal.Query;
import dev.tiebreak.internal.StableHash;
import dev.tiebreak.stock.Reservations.State;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The statements of {@link Reservations}: each is one statement, whose text is built once. */
final class ReservationRows {
    /** Whose reservation it is: the counted column, where it really is and not as the search path found it. Two binds. */
    private static final String STOCK = """
            (SELECT format('%I.%I.%I', s.nspname, t.relname, CAST(? AS text)) FROM pg_class t
                JOIN pg_namespace s ON s.oid = t.relnamespace WHERE t.oid = CAST(? AS regclass))""";

    private static final String INSERT = """
            INSERT INTO {table} (id, stock, key, n, until) VALUES (?, {stock}, ?, ?, {until}) RETURNING until""";

    private static final String SETTLE = """
            UPDATE {table} SET state = ?, settled_at = clock_timestamp()
            WHERE id = ? AND stock = {stock} AND state = 'held'{condition} RETURNING key, n""";

    private static final String EXPIRE = """
            WITH due AS MATERIALIZED (
                SELECT id FROM {table} WHERE stock = {stock} AND state = 'held' AND until <= clock_timestamp()
                ORDER BY until LIMIT ? FOR NO KEY UPDATE SKIP LOCKED)
            UPDATE {table} r SET state = 'expired', settled_at = clock_timestamp() FROM due WHERE r.id = due.id
            RETURNING r.key, r.n""";

    private static final String PURGE = """
            WITH old AS MATERIALIZED (
                SELECT id FROM {table} WHERE stock = {stock} AND state <> 'held'
                    AND settled_at <= clock_timestamp() - ? * interval '1 millisecond'
                LIMIT ? FOR UPDATE SKIP LOCKED),
            gone AS (DELETE FROM {table} r USING old WHERE r.id = old.id RETURNING 1)
            SELECT count(*) FROM gone""";

    private final Table table;
    private final Stock stock;
    private final String holdFor;
    private final String holdUntil;
    private final String confirm;
    private final String cancel;
    private final String expire;
    private final String purge;
    private final String state;

    ReservationRows(Stock stock, String schema) {
        this.stock = stock;
        this.table = Table.of(schema, "reservation").keyedBy("id");
        this.holdFor = sql(INSERT.replace("{until}", "clock_timestamp() + ? * interval '1 millisecond'"));
        this.holdUntil = sql(INSERT.replace("{until}", "?"));
        this.confirm = sql(SETTLE.replace("{condition}", " AND until > clock_timestamp()"));
        this.cancel = sql(SETTLE.replace("{condition}", ""));
        this.expire = sql(EXPIRE);
        this.purge = sql(PURGE);
        this.state = sql("SELECT state FROM {table} WHERE id = ? AND stock = {stock}");
    }

    private String sql(String template) {
        return template.replace("{table}", table.sql()).replace("{stock}", STOCK);
    }

    Stock stock() {
        return stock;
    }

    Key key(UUID id) {
        return table.key("id", id);
    }

    /** Inserts a reservation that lasts this long; returns until when. */
    Instant insert(Connection connection, UUID id, Key key, long n, Duration time) throws SQLException {
        return insert(connection, holdFor, id, key, n, binds -> binds.add(time.toMillis()));
    }

    /** Inserts a reservation until an instant; returns that, as the database keeps it. */
    Instant insert(Connection connection, UUID id, Key key, long n, Instant until) throws SQLException {
        return insert(connection, holdUntil, id, key, n, binds -> binds.addObject(until.atOffset(ZoneOffset.UTC)));
    }

    private Instant insert(Connection connection, String sql, UUID id, Key key, long n, Query.Bind until)
            throws SQLException {
        Object[] texts = key.values().stream().map(StableHash::text).toArray();
        Array values = connection.createArrayOf("text", texts);
        return Query.run(
                connection,
                sql,
                binds -> {
                    binds.addObject(id);
                    addStock(binds);
                    binds.addObject(values);
                    binds.add(n);
                    until.to(binds);
                },
                rows -> {
                    boolean unused = rows.next();
                    return rows.getObject(1, OffsetDateTime.class).toInstant();
                });
    }

    /** Confirms a reservation that is held and not over; null if it is not. */
    @Nullable
    Row confirm(Connection connection, UUID id) throws SQLException {
        return settle(connection, confirm, id, State.CONFIRMED);
    }

    /** Cancels a reservation that is held; null if it is not. */
    @Nullable
    Row cancel(Connection connection, UUID id) throws SQLException {
        return settle(connection, cancel, id, State.CANCELLED);
    }

    private @Nullable Row settle(Connection connection, String sql, UUID id, State to) throws SQLException {
        KeyTypes types = stock.strategy().cart().types(connection);
        return Query.<@Nullable Row>run(
                connection,
                sql,
                binds -> {
                    binds.addObject(to.name().toLowerCase(Locale.ROOT));
                    binds.addObject(id);
                    addStock(binds);
                },
                rows -> rows.next() ? row(types, rows) : null);
    }

    /** Why it could not be settled: a row that is still held is over in time. Null if there is no such row. */
    @Nullable
    State state(Connection connection, UUID id) throws SQLException {
        return Query.<@Nullable State>run(
                connection,
                state,
                binds -> {
                    binds.addObject(id);
                    addStock(binds);
                },
                rows -> {
                    if (!rows.next()) {
                        return null;
                    }
                    String now = rows.getString(1);
                    return now.equals("held") ? State.EXPIRED : State.valueOf(now.toUpperCase(Locale.ROOT));
                });
    }

    /** Takes up to so many that are over out of the state HELD, the oldest first. */
    List<Row> expire(Connection connection, int atMost) throws SQLException {
        KeyTypes types = stock.strategy().cart().types(connection);
        return Query.run(
                connection,
                expire,
                binds -> {
                    addStock(binds);
                    binds.add(atMost);
                },
                rows -> {
                    List<Row> found = new ArrayList<>();
                    while (rows.next()) {
                        found.add(row(types, rows));
                    }
                    return found;
                });
    }

    /** Deletes up to so many that were settled longer ago. */
    int purge(Connection connection, Duration age, int atMost) throws SQLException {
        return Query.run(
                connection,
                purge,
                binds -> {
                    addStock(binds);
                    binds.add(age.toMillis());
                    binds.add(atMost);
                },
                rows -> {
                    boolean unused = rows.next();
                    return rows.getInt(1);
                });
    }

    private void addStock(Binds binds) throws SQLException {
        binds.addObject(stock.count().quantity());
        binds.addObject(stock.count().table().sql());
    }

    private static Row row(KeyTypes types, ResultSet rows) throws SQLException {
        return new Row(types.key((String[]) rows.getArray(1).getArray()), rows.getLong(2));
    }

    /** So many units of a key. */
    record Row(Key key, long n) {}

    /** Such as {@code tiebreak.reservation}. */
    @Override
    public String toString() {
        return table.toString();
    }
}
