package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.engine.Words.Word;
import java.util.BitSet;
import java.util.List;
import java.util.Set;

/**
 * What a piece of SQL touches, read off its words: a superset, found without a grammar.
 *
 * <p>A name that is that of a known table counts as an access to it, wherever it stands. Anything that is not understood
 * (a function that is not on the list, a view, a command other than the usual) makes the whole unknown.
 *
 * @param unknown touches nobody knows what
 * @param local touches nothing but the session itself: BEGIN, SET, SAVEPOINT
 * @param reads tables read
 * @param writes tables changed or locked
 * @param begins starts a transaction block
 * @param ends ends one, with COMMIT or ROLLBACK, or gives up locks with ROLLBACK TO
 */
record Access(boolean unknown, boolean local, BitSet reads, BitSet writes, boolean begins, boolean ends) {
    /** Bit of a table that no database has: the clock. */
    static final int CLOCK = 0;
    /** All sequences, and other ids that are handed out. */
    static final int SEQUENCES = 1;
    /** All advisory locks. */
    static final int ADVISORY = 2;
    /** The first bit of a real table. */
    static final int TABLES = 3;

    private static final Set<String> LOCAL =
            Set.of("begin", "start", "set", "reset", "show", "savepoint", "release", "discard", "deallocate");
    private static final Set<String> ROWS =
            Set.of("select", "insert", "update", "delete", "merge", "with", "values", "table", "lock");
    private static final Set<String> NOT_A_CALL = Set.of(
            "in",
            "values",
            "and",
            "or",
            "not",
            "exists",
            "as",
            "using",
            "on",
            "over",
            "from",
            "where",
            "select",
            "any",
            "all",
            "some",
            "array",
            "row",
            "conflict",
            "set",
            "returning",
            "then",
            "else",
            "when",
            "case",
            "by",
            "filter",
            "numeric",
            "decimal",
            "varchar",
            "char",
            "character",
            "varying",
            "timestamp",
            "timestamptz",
            "time",
            "interval",
            "bit",
            "with",
            "union",
            "except",
            "intersect",
            "limit",
            "offset",
            "having",
            "between",
            "like",
            "is",
            "update",
            "materialized",
            "of",
            "join",
            "lateral",
            "within",
            "group",
            "distinct",
            "into",
            "partition",
            "rollup",
            "cube",
            "sets",
            "float",
            "precision");
    private static final Set<String> PURE = Set.of(
            "abs",
            "array_agg",
            "array_length",
            "avg",
            "bool_and",
            "bool_or",
            "ceil",
            "char_length",
            "coalesce",
            "concat",
            "concat_ws",
            "count",
            "current_setting",
            "date_trunc",
            "every",
            "exists",
            "extract",
            "floor",
            "format",
            "generate_series",
            "greatest",
            "gen_random_uuid",
            "hashtext",
            "hashtextextended",
            "json_agg",
            "json_build_object",
            "jsonb_agg",
            "jsonb_build_object",
            "least",
            "left",
            "length",
            "lower",
            "lpad",
            "ltrim",
            "max",
            "md5",
            "min",
            "mod",
            "nullif",
            "pg_backend_pid",
            "pg_sleep",
            "power",
            "random",
            "rank",
            "regexp_replace",
            "repeat",
            "replace",
            "right",
            "round",
            "row_number",
            "rpad",
            "rtrim",
            "set_config",
            "sign",
            "split_part",
            "string_agg",
            "strpos",
            "substr",
            "substring",
            "sum",
            "to_char",
            "to_json",
            "to_jsonb",
            "trim",
            "trunc",
            "unnest",
            "upper",
            "cast");
    private static final Set<String> CLOCKS = Set.of(
            "now",
            "current_timestamp",
            "current_date",
            "current_time",
            "localtime",
            "localtimestamp",
            "clock_timestamp",
            "statement_timestamp",
            "transaction_timestamp",
            "timeofday",
            "age");
    private static final Set<String> COUNTERS = Set.of("nextval", "currval", "lastval", "setval", "uuidv7");

    static Access of(String sql, Catalog catalog) {
        Scan scan = new Scan(catalog);
        List<List<Word>> statements = Words.statements(sql);
        statements.forEach(scan::statement);
        return new Access(
                scan.unknown,
                scan.local && !scan.unknown && !statements.isEmpty(),
                scan.reads,
                scan.writes,
                scan.begins,
                scan.ends);
    }

    /** Whether the SQL touches nothing but its session, by its commands alone. */
    static boolean isLocal(String sql) {
        return Words.statements(sql).stream()
                .allMatch(words -> LOCAL.contains(words.get(0).text()));
    }

    /** Whether a word asks for the time. */
    static boolean readsClock(Word word) {
        return word.identifier() && CLOCKS.contains(word.text());
    }

    private static final class Scan {
        private final Catalog catalog;
        private final BitSet reads = new BitSet();
        private final BitSet writes = new BitSet();
        private boolean unknown;
        private boolean local = true;
        private boolean begins;
        private boolean ends;

        Scan(Catalog catalog) {
            this.catalog = catalog;
        }

        void statement(List<Word> words) {
            String verb = words.get(0).text();
            if (verb.equals("begin") || verb.equals("start")) {
                begins = true;
                // The time at which a transaction began is seen by whoever asks for now().
                unknown |= catalog.clockMatters();
            } else if (verb.equals("commit") || verb.equals("end") || verb.equals("rollback") || verb.equals("abort")) {
                local = false;
                ends = true;
                unknown |= words.stream().anyMatch(w -> w.is("prepared"));
            } else if (verb.equals("set") && words.stream().anyMatch(w -> w.is("constraints"))) {
                unknown = true;
            } else if (ROWS.contains(verb)) {
                local = false;
                rows(words, verb);
            } else if (!LOCAL.contains(verb)) {
                unknown = true;
            }
        }

        private void rows(List<Word> words, String verb) {
            boolean changes = verb.equals("lock") || changesOrLocks(words);
            unknown |= !changes && words.stream().anyMatch(w -> w.identifier() && w.is("into"));
            for (int i = 0; i < words.size(); i++) {
                Word word = words.get(i);
                if (!word.identifier()) {
                    continue;
                }
                String name = word.text();
                boolean call = i + 1 < words.size() && words.get(i + 1).is("(");
                if (catalog.isTable(name)) {
                    unknown |= catalog.isOpaque(name);
                    (changes ? writes : reads).or(changes ? catalog.withNeighbours(name) : catalog.bit(name));
                } else if (catalog.isOpaque(name)) {
                    unknown = true;
                } else if (CLOCKS.contains(name)) {
                    writes.set(CLOCK);
                } else if (COUNTERS.contains(name)) {
                    writes.set(SEQUENCES);
                } else if (name.contains("advisory")) {
                    writes.set(ADVISORY);
                } else if (call && !PURE.contains(name) && !NOT_A_CALL.contains(name)) {
                    unknown = true;
                } else if ((name.startsWith("pg_") && !PURE.contains(name)) || name.equals("information_schema")) {
                    unknown = true;
                }
            }
        }

        private static boolean changesOrLocks(List<Word> words) {
            for (int i = 0; i < words.size(); i++) {
                Word word = words.get(i);
                if (!word.identifier()) {
                    continue;
                }
                switch (word.text()) {
                    case "insert", "update", "delete", "merge", "share" -> {
                        return true;
                    }
                    default -> {}
                }
            }
            return false;
        }
    }
}
