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
    static final List<Step> ALL = List.of(new Step(
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
                    "lease.until", "timestamp with time zone")));
}
