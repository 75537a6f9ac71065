package dev.tiebreak.prove.engine;

import dev.tiebreak.prove.spec.Directive;
import dev.tiebreak.prove.spec.Permutation;
import dev.tiebreak.prove.spec.Session;
import dev.tiebreak.prove.spec.Spec;
import dev.tiebreak.prove.spec.SpecException;
import dev.tiebreak.prove.spec.Sql;
import dev.tiebreak.prove.spec.Step;
import java.sql.Connection;
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

    private final FileSql fileSql;
    private final Spec spec;
    private final Rules rules;
    private final Connection control;
    private final Home home;
    private final List<Link> links = new ArrayList<>();
    private final List<String> preludes = new ArrayList<>();
    private final Deadlocks deadlocks = new Deadlocks();
    private final Relations relations;
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
        this.fileSql = new FileSql(patience);
        this.spec = spec;
        this.rules = rules;
        this.sql = spec.sessions().stream().flatMap(SpecArena::texts).toList();
        control = connector.open("tiebreak");
        Home opened = null;
        boolean complete = false;
        try {
            relations = new Relations(control);
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
            fileSql.run(control, block, "setup");
        }
        catalog = Catalog.read(control);
        catalog.clockMatters(
                sql.stream().anyMatch(s -> Words.of(s.text()).stream().anyMatch(Access::readsClock)));
        List<String> tables = relations.tables();
        sequences = relations.sequences();
        watchesShape = sql.stream().anyMatch(s -> catalog.access(s.text()).unknown());
        reader = reader(tables);
        if (!rebuilds && relations.canRestore(tables, home.name())) {
            original = Original.keep(control, home.name(), tables, sequences);
            shape = relations.shape(home.name());
        } else {
            rebuilds = true;
        }
    }

    private StateReader reader(List<String> tables) throws SQLException {
        List<Directive.State> own = spec.directives(Directive.State.class);
        if (!own.isEmpty()) {
            return StateReader.query(own.get(0).sql().text());
        }
        List<String> written = new ArrayList<>();
        Set<String> mentioned = new HashSet<>();
        sql.forEach(s -> Words.of(s.text()).forEach(w -> mentioned.add(w.text())));
        for (String table : relations.everyTable(tables)) {
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
        if (kept != null && watchesShape && !relations.shape(home.name()).equals(shape)) {
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
                fileSql.run(link, session.setup().get(), "setup of session " + session.name());
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
            fileSql.run(control, block, "setup");
        }
    }

    private void tearDown() throws SQLException {
        if (setUp && spec.teardown().isPresent()) {
            setUp = false;
            fileSql.run(control, spec.teardown().get(), "teardown");
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
