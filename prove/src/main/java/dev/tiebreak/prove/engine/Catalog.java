package dev.tiebreak.prove.engine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The tables of a database by name: which of them a statement can reach by naming another (foreign keys), and which hide
 * code that nobody can read off the statement (triggers, rules, views, policies, partitions).
 */
final class Catalog {
    private final Map<String, Integer> bits = new HashMap<>();
    private final Set<String> opaque = new HashSet<>();
    private final Map<Integer, BitSet> children = new HashMap<>();
    private final Map<Integer, BitSet> parents = new HashMap<>();
    private final Map<String, Access> known = new HashMap<>();

    private boolean clockMatters;

    /** Reads the catalog, without the schemas of other proofs; tables of the same name in different schemas count as one. */
    static Catalog read(Connection connection) throws SQLException {
        Catalog catalog = new Catalog();
        Map<Long, String> names = new HashMap<>();
        try (Statement s = connection.createStatement()) {
            try (ResultSet r = s.executeQuery("""
                    SELECT c.oid, c.relname,
                           c.relkind <> 'r' OR c.relrowsecurity OR c.relhasrules OR c.relhassubclass OR c.relispartition
                           OR EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)
                           OR EXISTS (SELECT FROM pg_depend d
                                       WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid >= 16384
                                         AND (d.classid = 'pg_attrdef'::regclass
                                                 AND d.objid IN (SELECT oid FROM pg_attrdef WHERE adrelid = c.oid)
                                              OR d.classid = 'pg_constraint'::regclass
                                                 AND d.objid IN (SELECT oid FROM pg_constraint WHERE conrelid = c.oid)
                                              OR d.classid = 'pg_class'::regclass
                                                 AND d.objid IN (SELECT indexrelid FROM pg_index WHERE indrelid = c.oid)))
                      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
                       AND n.nspname !~ '^(pg_|information_schema$)'
                       AND (n.nspname !~ '^tiebreak_run_' OR n.nspname = current_schema())""")) {
                while (r.next()) {
                    String name = r.getString(2);
                    names.put(r.getLong(1), name);
                    catalog.bits.putIfAbsent(name, Access.TABLES + catalog.bits.size());
                    if (r.getBoolean(3)) {
                        catalog.opaque.add(name);
                    }
                }
            }
            try (ResultSet r = s.executeQuery(
                    "SELECT conrelid, confrelid FROM pg_constraint WHERE contype = 'f' AND conparentid = 0")) {
                while (r.next()) {
                    String child = names.get(r.getLong(1));
                    String parent = names.get(r.getLong(2));
                    if (child != null && parent != null) {
                        int c = catalog.bits.getOrDefault(child, 0);
                        int p = catalog.bits.getOrDefault(parent, 0);
                        catalog.children.computeIfAbsent(p, x -> new BitSet()).set(c);
                        catalog.parents.computeIfAbsent(c, x -> new BitSet()).set(p);
                    }
                }
            }
        }
        return catalog;
    }

    boolean isTable(String name) {
        return bits.containsKey(name);
    }

    /** Whether a name hides code: a view, or a table with triggers and the like. */
    boolean isOpaque(String name) {
        return opaque.contains(name);
    }

    BitSet bit(String name) {
        BitSet set = new BitSet();
        set.set(bits.getOrDefault(name, 0));
        return set;
    }

    /** The table, the tables that a change of it can cascade to, and the tables that all these refer to. */
    BitSet withNeighbours(String name) {
        BitSet all = bit(name);
        ArrayDeque<Integer> open = new ArrayDeque<>(all.stream().boxed().toList());
        while (!open.isEmpty()) {
            BitSet next = children.getOrDefault(open.remove(), new BitSet());
            next.stream().filter(b -> !all.get(b)).forEach(b -> {
                all.set(b);
                open.add(b);
            });
        }
        BitSet reached = (BitSet) all.clone();
        reached.stream().forEach(b -> all.or(parents.getOrDefault(b, new BitSet())));
        return all;
    }

    /** From here on the time at which a transaction begins counts as something that others can notice. */
    void clockMatters(boolean matters) {
        clockMatters = matters;
        known.clear();
    }

    boolean clockMatters() {
        return clockMatters;
    }

    /** What a piece of SQL touches; remembered. */
    synchronized Access access(String sql) {
        return known.computeIfAbsent(sql, text -> Access.of(text, this));
    }

    /** Whether an ordinary setting of this server may be changed by this role. */
    static boolean maySet(Connection connection, String setting, String value) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement("SELECT set_config(?, ?, false)")) {
            s.setString(1, setting);
            s.setString(2, value);
            s.execute();
            return true;
        } catch (SQLException e) {
            if ("42501".equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }
}
