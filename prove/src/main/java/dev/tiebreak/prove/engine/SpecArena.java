package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.spec.Directive;
import dev.tiebreak.prove.spec.Permutation;
import dev.tiebreak.prove.spec.Session;
import dev.tiebreak.prove.spec.Spec;
import dev.tiebreak.prove.spec.SpecException;
import dev.tiebreak.prove.spec.Sql;
import dev.tiebreak.prove.spec.Step;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** The place of a spec file's race: a schema of its own, set up once and put back before every run. */
final class SpecArena implements Arena {
    private static final Set<String> REBUILDS = Set.of(
            "create",
            "alter",
            "drop",
            "reindex",
            "cluster",
            "vacuum",
            "refresh",
            "comment",
            "grant",
            "revoke",
            "import",
            "security",
            "do",
            "call",
            "prepare",
            "analyze");
    private static final Set<String> LINGERS = Set.of(
            "set", "set_config", "listen", "declare", "prepare", "temp", "temporary", "reset", "do", "call", "discard");

    /** The file's setup may fill tables. */
    private static final int SLOWER = 6;

    private final int patience;
    private final Spec spec;
    private final Rules rules;
    private final Connection control;
    private final Home home;
    private final List<Link> links = new ArrayList<>();
    private final List<String> preludes = new ArrayList<>();
    private final Deadlocks deadlocks = new Deadlocks();
    private final Set<Long> strangers;
    private final boolean staggered;
    private final boolean cleans;
    private final List<Sql> sql;
    private Catalog catalog;
    private boolean rebuilds;
    private boolean setUp;
    private @Nullable Original original;
    private @Nullable StateReader reader;
    private List<String> sequences = List.of();
    private @Nullable String shape;
    private boolean watchesShape;
    private List<Actor.Script> scripts = List.of();
    private final List<Level> usual = new ArrayList<>();

    /**
     * Sets the race up.
     *
     * @param patience how long a session's setup may take; the file's own may take six times as long
     */
    SpecArena(Spec spec, Rules rules, Connector connector, Duration patience) throws SQLException {
        this.patience = Math.clamp(patience.toSeconds(), 1, 1_000_000);
        this.spec = spec;
        this.rules = rules;
        this.sql = spec.sessions().stream().flatMap(SpecArena::texts).toList();
        control = connector.open("tiebreak");
        Home opened = null;
        boolean complete = false;
        try {
            strangers = relations(control);
            opened = Home.open(control);
            home = opened;
            staggered = Catalog.maySet(control, "deadlock_timeout", "1s");
            catalog = Catalog.read(control);
            cleans = sql.stream().anyMatch(s -> lingers(s.text()));
            for (Session session : spec.sessions()) {
                Link link = new Link(connector.open("tiebreak " + session.name()));
                links.add(link);
                preludes.add(prelude(preludes.size()));
                link.run(preludes.get(preludes.size() - 1));
            }
            rebuilds = sql.stream().anyMatch(s -> firstWords(s.text()).anyMatch(REBUILDS::contains))
                    || spec.setup().stream().anyMatch(s -> Words.of(s.text()).stream()
                            .anyMatch(w -> w.identifier() && catalog.isTable(w.text())));
            build();
            scripts = scripts(null);
            complete = true;
        } finally {
            if (!complete) {
                closeQuietly(opened);
            }
        }
    }

    // ---- Building the start.

    private void build() throws SQLException {
        setUp = true;
        for (Sql block : spec.setup()) {
            run(control, block, "setup");
        }
        catalog = Catalog.read(control);
        catalog.clockMatters(
                sql.stream().anyMatch(s -> Words.of(s.text()).stream().anyMatch(Access::readsClock)));
        List<String> tables = ordered();
        sequences = sequences();
        watchesShape = sql.stream().anyMatch(s -> catalog.access(s.text()).unknown());
        reader = reader(tables);
        if (!rebuilds && canRestore(tables)) {
            original = Original.keep(control, home.name(), tables, sequences);
            shape = shape();
        } else {
            rebuilds = true;
        }
    }

    private boolean canRestore(List<String> tables) throws SQLException {
        if (tables.isEmpty()) {
            return false;
        }
        boolean replica = Catalog.maySet(control, "session_replication_role", "replica");
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery("SELECT " + replica
                        + " OR NOT EXISTS (SELECT FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
                        + " WHERE NOT t.tgisinternal AND c.relnamespace = '" + home.name() + "'::regnamespace),"
                        + " NOT EXISTS (SELECT FROM pg_class WHERE relkind IN ('m', 'f') AND relnamespace = '"
                        + home.name() + "'::regnamespace)")) {
            r.next();
            return r.getBoolean(1) && r.getBoolean(2);
        }
    }

    /** The tables that the setup made, those that others refer to first. */
    private List<String> ordered() throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery("""
                        WITH RECURSIVE t AS (
                          SELECT c.oid, 0 AS depth FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                           WHERE c.relkind = 'r' AND n.nspname !~ '^(pg_|information_schema$)'
                             AND (n.nspname !~ '^tiebreak_run_' OR n.nspname = current_schema())
                          UNION
                          SELECT f.conrelid, t.depth + 1 FROM t JOIN pg_constraint f ON f.confrelid = t.oid
                           WHERE f.contype = 'f' AND f.conrelid <> f.confrelid AND t.depth < 20)
                        SELECT oid, format('%I.%I', relnamespace::regnamespace::text, relname)
                          FROM (SELECT oid, max(depth) AS depth FROM t GROUP BY oid) d JOIN pg_class USING (oid)
                         ORDER BY depth, oid""")) {
            while (r.next()) {
                if (!strangers.contains(r.getLong(1))) {
                    names.add(r.getString(2));
                }
            }
        }
        return names;
    }

    private List<String> sequences() throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery("""
                        SELECT oid, format('%I.%I', relnamespace::regnamespace::text, relname) FROM pg_class
                         WHERE relkind = 'S'
                           AND (relnamespace::regnamespace::text !~ '^tiebreak_run_'
                             OR relnamespace::regnamespace::text = current_schema())
                         ORDER BY oid""")) {
            while (r.next()) {
                if (!strangers.contains(r.getLong(1))) {
                    names.add(r.getString(2));
                }
            }
        }
        return names;
    }

    private StateReader reader(List<String> tables) throws SQLException {
        List<Directive.State> own = spec.directives(Directive.State.class);
        if (!own.isEmpty()) {
            return StateReader.query(own.get(0).sql().text());
        }
        List<String> written = new ArrayList<>();
        Set<String> mentioned = new HashSet<>();
        sql.forEach(s -> Words.of(s.text()).forEach(w -> mentioned.add(w.text())));
        for (String table : everyTable(tables)) {
            String name = table.substring(table.lastIndexOf('.') + 1).replace("\"", "");
            boolean stranger = !tables.contains(table);
            boolean touched = watchesShape
                    ? !stranger || mentioned.contains(name)
                    : sql.stream()
                            .anyMatch(s -> catalog.access(s.text()).writes().intersects(catalog.bit(name)));
            if (touched) {
                written.add(table);
            }
        }
        return StateReader.tables(control, written);
    }

    private List<String> everyTable(List<String> tables) throws SQLException {
        List<String> all = new ArrayList<>(tables);
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery("""
                        SELECT oid, format('%I.%I', relnamespace::regnamespace::text, relname) FROM pg_class
                         WHERE relkind = 'r'
                           AND relnamespace::regnamespace::text !~ '^(pg_|information_schema$|tiebreak_run_)'
                         ORDER BY oid""")) {
            while (r.next()) {
                if (strangers.contains(r.getLong(1))) {
                    all.add(r.getString(2));
                }
            }
        }
        return all;
    }

    private static Set<Long> relations(Connection control) throws SQLException {
        Set<Long> all = new HashSet<>();
        try (Statement s = control.createStatement();
                ResultSet r = s.executeQuery("SELECT oid FROM pg_class WHERE relkind IN ('r', 'S', 'p', 'v')")) {
            while (r.next()) {
                all.add(r.getLong(1));
            }
        }
        return all;
    }

    private String prelude(int index) {
        Session session = spec.sessions().get(index);
        StringBuilder text =
                new StringBuilder("SET search_path = " + home.name() + ", public; SET synchronous_commit = off");
        if (staggered) {
            text.append("; SET deadlock_timeout = ").append(deadlocks.millis(index));
        }
        if (session.copy() > 0) {
            text.append("; SET tiebreak.session = ").append(session.copy());
        }
        return text.toString();
    }

    @Override
    public boolean exact() {
        return !spec.permutations().isEmpty();
    }

    @Override
    public void slowDeadlocks() throws SQLException {
        if (staggered && deadlocks.slower()) {
            for (int i = 0; i < links.size(); i++) {
                preludes.set(i, prelude(i));
                links.get(i)
                        .run(
                                links.get(i).phase() == Link.Phase.IDLE
                                        ? preludes.get(i)
                                        : "ROLLBACK; " + preludes.get(i));
            }
        }
    }

    // ---- What the sessions do.

    /** The scripts of all sessions, or of those steps that a permutation names. */
    List<Actor.Script> scripts(@Nullable Permutation permutation) {
        Map<String, Step> steps = spec.steps();
        List<Actor.Script> all = new ArrayList<>();
        for (int i = 0; i < spec.sessions().size(); i++) {
            Session session = spec.sessions().get(i);
            List<Step> mine = permutation == null
                    ? session.steps()
                    : permutation.turns().stream()
                            .map(Permutation.Turn::step)
                            .filter(name -> session.steps().contains(steps.get(name)))
                            .map(name -> Objects.requireNonNull(steps.get(name)))
                            .toList();
            all.add(new SpecScript(session, mine, links.get(i), rules));
        }
        return all;
    }

    @Override
    public List<Actor.Script> scripts() {
        return scripts;
    }

    /** From here on the sessions run only what the permutation names. */
    void follow(@Nullable Permutation permutation) {
        scripts = scripts(permutation);
    }

    @Override
    public List<String> sessions() {
        return spec.sessions().stream().map(Session::name).toList();
    }

    @Override
    public Connection control() {
        return control;
    }

    @Override
    public Catalog catalog() {
        return catalog;
    }

    @Override
    public boolean staggered() {
        return staggered;
    }

    @Override
    public List<Level> levels() {
        List<Level> all = new ArrayList<>();
        for (int i = 0; i < spec.sessions().size(); i++) {
            List<Level> asked = texts(spec.sessions().get(i))
                    .map(s -> Level.in(s.text()))
                    .filter(Objects::nonNull)
                    .toList();
            all.addAll(asked.isEmpty() ? usual.subList(i, Math.min(i + 1, usual.size())) : asked);
        }
        return all;
    }

    // ---- Between two runs.

    @Override
    public void reset(List<Actor> actors, boolean flush) throws SQLException {
        for (int i = 0; i < links.size(); i++) {
            Link link = links.get(i);
            if (link.phase() != Link.Phase.IDLE) {
                link.run("ROLLBACK");
            }
            if (flush) {
                link.run("SELECT pg_stat_force_next_flush()");
            }
            if (cleans || rebuilds) {
                link.run(
                        "CLOSE ALL; UNLISTEN *; DEALLOCATE ALL; SELECT pg_advisory_unlock_all(); DISCARD SEQUENCES; RESET ALL; "
                                + preludes.get(i));
            }
        }
        Original kept = original;
        if (kept != null && watchesShape && !shape().equals(shape)) {
            rebuilds = true;
            kept.close();
            original = null;
            kept = null;
        }
        if (kept == null) {
            rebuild();
        } else {
            kept.restore();
        }
        for (int i = 0; i < links.size(); i++) {
            Session session = spec.sessions().get(i);
            Link link = links.get(i);
            if (session.setup().isPresent()) {
                run(link, session.setup().get(), "setup of session " + session.name());
            }
            actors.get(i).link = link;
            actors.get(i).usualLevel(level(i));
        }
    }

    /** The level at which a session's statements run after its setup; asked once. */
    private Level level(int i) throws SQLException {
        if (usual.size() == i) {
            for (Answer answer : links.get(i).execute("SHOW transaction_isolation")) {
                if (answer instanceof Answer.Rows rows) {
                    usual.add(Level.of(String.valueOf(rows.rows().get(0).get(0))));
                }
            }
        }
        return usual.get(i);
    }

    private void rebuild() throws SQLException {
        tearDown();
        home.empty();
        setUp = true;
        for (Sql block : spec.setup()) {
            run(control, block, "setup");
        }
    }

    private void tearDown() throws SQLException {
        if (setUp && spec.teardown().isPresent()) {
            setUp = false;
            run(control, spec.teardown().get(), "teardown");
        }
    }

    @Override
    public int generation() {
        return 0;
    }

    @Override
    public boolean slower() throws SQLException {
        if (rebuilds) {
            return false;
        }
        rebuilds = true;
        if (original != null) {
            original.close();
            original = null;
        }
        return true;
    }

    @Override
    public void shift() throws SQLException {
        try (Statement s = control.createStatement()) {
            for (String sequence : sequences) {
                s.execute("SELECT setval('" + sequence.replace("'", "''") + "', last_value + 1000) FROM " + sequence);
            }
        }
    }

    @Override
    public State state() throws SQLException {
        return reader == null ? State.NONE : reader.read(control);
    }

    private String shape() throws SQLException {
        try (Statement s = control.createStatement();
                ResultSet r =
                        s.executeQuery("SELECT string_agg(oid || ' ' || relnatts || ' ' || relchecks, ',' ORDER BY oid)"
                                + " FROM pg_class WHERE relnamespace = '" + home.name() + "'::regnamespace")) {
            r.next();
            return String.valueOf(r.getString(1));
        }
    }

    @Override
    public void close() throws SQLException {
        try {
            for (Link link : links) {
                link.close();
            }
            if (setUp && spec.teardown().isPresent() && !control.isClosed()) {
                tearDown();
            }
        } finally {
            home.close();
            control.close();
        }
    }

    private void closeQuietly(@Nullable Home opened) {
        try {
            for (Link link : links) {
                link.close();
            }
            if (opened != null) {
                try {
                    tearDown();
                } catch (SpecException e) {
                    // The setup failed half-way: so may this.
                }
                opened.close();
            }
            control.close();
        } catch (SQLException e) {
            // The fault that led here is the one to report.
        }
    }

    // ---- Running the file's own SQL.

    private void run(Connection on, Sql sql, String what) throws SQLException {
        try (Statement s = on.createStatement()) {
            s.setEscapeProcessing(false);
            s.setQueryTimeout(SLOWER * patience);
            s.execute(sql.text());
            while (s.getMoreResults() || s.getUpdateCount() >= 0) {
                // Nobody wants it.
            }
        } catch (SQLException e) {
            throw fault(sql, what, SLOWER * patience, e);
        }
    }

    private void run(Link on, Sql sql, String what) {
        try {
            on.run(sql.text(), patience);
        } catch (SQLException e) {
            throw fault(sql, what, patience, e);
        }
    }

    private static SpecException fault(Sql sql, String what, int seconds, SQLException e) {
        return "57014".equals(e.getSQLState())
                ? new SpecException(
                        sql.at(),
                        what + ": it did not return within " + seconds
                                + " s; it runs before the race begins, so it must not wait for another session",
                        e)
                : fault(sql, what, e);
    }

    /** The server's error at its line in the file. */
    static SpecException fault(Sql sql, String what, SQLException e) {
        String message = String.valueOf(e.getMessage());
        int position = 0;
        if (e instanceof PSQLException server && server.getServerErrorMessage() != null) {
            ServerErrorMessage error = server.getServerErrorMessage();
            message = String.valueOf(error.getMessage());
            position = error.getPosition();
        }
        return new SpecException(
                sql.lineOf(position),
                what + ": " + message.lines().findFirst().orElse("") + " (" + e.getSQLState() + ")",
                e);
    }

    private static Stream<Sql> texts(Session session) {
        return Stream.concat(
                Stream.concat(session.setup().stream(), session.steps().stream().map(Step::sql)),
                session.teardown().stream());
    }

    private static Stream<String> firstWords(String sql) {
        return Words.statements(sql).stream().map(words -> words.get(0).text());
    }

    private static boolean lingers(String sql) {
        return Words.of(sql).stream()
                .anyMatch(w -> w.identifier()
                        && (LINGERS.contains(w.text()) || w.text().contains("advisory")));
    }
}
