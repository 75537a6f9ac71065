package dev.tiebreak.schema;

import java.util.List;
import java.util.Map;

/**
 * One step of the schema's history. Steps are only ever added at the end; one that was published is never changed.
 *
 * @param name what it brings
 * @param sql with {@code {schema}} for the quoted schema; may be run twice
 * @param columns what is there afterwards: {@code table.column} and its type
 */
record Step(String name, String sql, Map<String, String> columns) {
    static final List<Step> ALL = List.of(
            new Step(
                    "leases",
                    """
                    -- One row a name, never deleted: its token only grows. Half-filled pages keep updates in place.
                    CREATE TABLE IF NOT EXISTS {schema}.lease (
                        name text PRIMARY KEY,
                        token bigint NOT NULL,
                        holder text NOT NULL,
                        until timestamptz NOT NULL
                    ) WITH (fillfactor = 50);""",
                    Map.of(
                            "lease.name", "text",
                            "lease.token", "bigint",
                            "lease.holder", "text",
                            "lease.until", "timestamp with time zone")),
            new Step(
                    "reservations",
                    """
                    CREATE TABLE IF NOT EXISTS {schema}.reservation (
                        id uuid PRIMARY KEY,
                        stock text NOT NULL,
                        key text[] NOT NULL,
                        n bigint NOT NULL CHECK (n > 0),
                        until timestamptz NOT NULL,
                        state text NOT NULL DEFAULT 'held'
                            CHECK (state IN ('held', 'confirmed', 'cancelled', 'expired')),
                        settled_at timestamptz
                    );
                    CREATE INDEX IF NOT EXISTS reservation_due ON {schema}.reservation (stock, until) WHERE state = 'held';
                    CREATE INDEX IF NOT EXISTS reservation_settled ON {schema}.reservation (stock, settled_at)
                        WHERE state <> 'held';""",
                    Map.of(
                            "reservation.id", "uuid",
                            "reservation.stock", "text",
                            "reservation.key", "text[]",
                            "reservation.n", "bigint",
                            "reservation.until", "timestamp with time zone",
                            "reservation.state", "text",
                            "reservation.settled_at", "timestamp with time zone")),
            new Step(
                    "inbox",
                    """
                    -- One row a delivery. Only those that are worked on later have a body, a token and a time.
                    CREATE TABLE IF NOT EXISTS {schema}.inbox (
                        inbox text COLLATE "C" NOT NULL,
                        id text COLLATE "C" NOT NULL,
                        state text NOT NULL DEFAULT 'done' CHECK (state IN ('received', 'working', 'done')),
                        fingerprint bytea NOT NULL,
                        body bytea NOT NULL DEFAULT '',
                        result bytea NOT NULL DEFAULT '',
                        token bigint NOT NULL DEFAULT 0,
                        at timestamptz NOT NULL DEFAULT clock_timestamp(),
                        until timestamptz,
                        PRIMARY KEY (inbox, id)
                    );
                    CREATE INDEX IF NOT EXISTS inbox_age ON {schema}.inbox (inbox, at) WHERE state = 'done';
                    CREATE INDEX IF NOT EXISTS inbox_due ON {schema}.inbox (inbox, until) WHERE state <> 'done';""",
                    Map.of(
                            "inbox.inbox", "text",
                            "inbox.id", "text",
                            "inbox.state", "text",
                            "inbox.fingerprint", "bytea",
                            "inbox.body", "bytea",
                            "inbox.result", "bytea",
                            "inbox.token", "bigint",
                            "inbox.at", "timestamp with time zone",
                            "inbox.until", "timestamp with time zone")));
}
