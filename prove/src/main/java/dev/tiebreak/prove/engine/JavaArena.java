package dev.tiebreak.prove.engine;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The place of a race of ordinary code: the user's own tables, and connections that stop before every statement. */
final class JavaArena implements Arena {
    private static final int MOST_TABLES = 64;

    private final JavaRace race;
    private final Rules rules;
    private final DataSource source;
    private final Connection control;
    private final List<Seat> seats = new ArrayList<>();
    private final List<Actor.Script> scripts = new ArrayList<>();
    private final boolean staggered;
    private final Deadlocks deadlocks = new Deadlocks();
    private final Catalog catalog;
    private final Map<String, Long> sequences = new LinkedHashMap<>();
    private final List<String> tables = new ArrayList<>();
    private final Set<String> texts = new HashSet<>();
    private final Set<String> compared = new TreeSet<>();
    private final Set<Level> levels = new TreeSet<>();
    private @Nullable StateReader reader;
    private Level usual = Level.READ_COMMITTED;
    private int grown;

    JavaArena(JavaRace race, Rules rules, DataSource source) throws SQLException {
        this.race = race;
        this.rules = rules;
        this.source = source;
        this.control = Connector.of(source).open("tiebreak");
        boolean complete = false;
        try {
            staggered = Catalog.maySet(control, "deadlock_timeout", "1s");
            race.reset().run(control);
            catalog = Catalog.read(control);
            inventory();
            if (!race.state().isEmpty()) {
                reader = StateReader.query(race.state());
            }
            for (JavaRace.Player player : race.players()) {
                Seat seat = new Seat(this, seats.size());
                seats.add(seat);
                scripts.add(new JavaScript(player, seat, rules, race.allowed()));
            }
            complete = true;
        } catch (SQLException e) {
            throw new RaceException("", "", "reset failed: " + Conductor.message(e) + " (" + e.getSQLState() + ")", e);
        } finally {
            if (!complete) {
                control.close();
            }
        }
    }

    private void inventory() throws SQLException {
        String ours =
                " AND relnamespace::regnamespace::text !~ '^(pg_|information_schema$|tiebreak_run_)' AND relpersistence <> 't'";
        try (Statement s = control.createStatement()) {
            try (ResultSet r =
                    s.executeQuery("SELECT format('%I.%I', relnamespace::regnamespace::text, relname) FROM pg_class"
                            + " WHERE relkind IN ('r', 'p') AND NOT relispartition" + ours + " ORDER BY 1")) {
                while (r.next()) {
                    tables.add(r.getString(1));
                }
            }
            List<String> names = new ArrayList<>();
            try (ResultSet r = s.executeQuery("SELECT format('%I.%I', relnamespace::regnamespace::text, relname)"
                    + " FROM pg_class WHERE relkind = 'S'" + ours)) {
                while (r.next()) {
                    names.add(r.getString(1));
                }
            }
            for (String name : names) {
                try (ResultSet r = s.executeQuery("SELECT last_value FROM " + name)) {
                    r.next();
                    sequences.put(name, r.getLong(1));
                }
            }
            try (ResultSet r = s.executeQuery("SHOW default_transaction_isolation")) {
                r.next();
                usual = Level.of(r.getString(1));
            }
        }
    }

    /** A physical connection for a session. */
    Link connect(int seat) throws SQLException {
        Connection connection =
                Connector.of(source).open("tiebreak " + sessions().get(seat));
        Link link = new Link(connection);
        link.run(prelude(seat));
        return link;
    }

    private String prelude(int seat) {
        return "SET synchronous_commit = off" + (staggered ? "; SET deadlock_timeout = " + deadlocks.millis(seat) : "");
    }

    /** Remembers what was asked of the server: the tables it names are those that are compared. */
    synchronized void asked(String sql) {
        texts.add(sql);
    }

    synchronized void uses(Level level) {
        levels.add(level);
    }

    Level usual() {
        return usual;
    }

    @Override
    public List<String> sessions() {
        return race.players().stream().map(JavaRace.Player::name).toList();
    }

    @Override
    public List<Actor.Script> scripts() {
        return scripts;
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
    public boolean exact() {
        return false;
    }

    @Override
    public void slowDeadlocks() throws SQLException {
        if (staggered && deadlocks.slower()) {
            for (Seat seat : seats) {
                seat.clean(prelude(seat.index()), false);
            }
        }
    }

    @Override
    public List<Level> levels() {
        return levels.isEmpty() ? List.of(usual) : List.copyOf(levels);
    }

    @Override
    public void reset(List<Actor> actors, boolean flush) throws SQLException {
        for (Seat seat : seats) {
            seat.clean(prelude(seat.index()), flush);
        }
        try {
            if (!control.getAutoCommit()) {
                control.setAutoCommit(true);
            }
            race.reset().run(control);
        } catch (SQLException e) {
            throw new RaceException("", "", "reset failed: " + Conductor.message(e) + " (" + e.getSQLState() + ")", e);
        }
        actors.forEach(a -> a.usualLevel(usual));
    }

    @Override
    public void shift() throws SQLException {
        try (Statement s = control.createStatement()) {
            for (String sequence : sequences.keySet()) {
                s.execute("SELECT setval('" + sequence.replace("'", "''") + "', last_value + 1000) FROM " + sequence);
            }
        }
    }

    @Override
    public State state() throws SQLException {
        if (race.state().isEmpty()) {
            look();
        }
        StateReader now = reader;
        return now == null ? State.NONE : now.read(control);
    }

    /** Adds the tables that statements since the last look may have written. */
    private void look() throws SQLException {
        Set<String> written = new TreeSet<>(compared);
        synchronized (this) {
            for (String text : texts) {
                Access access = catalog.access(text);
                for (String table : tables) {
                    String name = table.substring(table.lastIndexOf('.') + 1).replace("\"", "");
                    boolean all = access.unknown() && tables.size() <= MOST_TABLES;
                    if (all || access.writes().intersects(catalog.bit(name))) {
                        written.add(table);
                    }
                }
            }
            texts.clear();
        }
        if (compared.addAll(written)) {
            grown++;
            reader = StateReader.tables(control, List.copyOf(compared));
        }
    }

    @Override
    public int generation() {
        return grown;
    }

    @Override
    public boolean slower() {
        return false;
    }

    Rules rules() {
        return rules;
    }

    @Override
    public void close() throws SQLException {
        try {
            for (Seat seat : seats) {
                seat.close();
            }
            try (Statement s = control.createStatement()) {
                for (Map.Entry<String, Long> sequence : new TreeMap<>(sequences).entrySet()) {
                    s.execute("SELECT setval('" + sequence.getKey().replace("'", "''") + "', greatest(last_value, "
                            + sequence.getValue() + ")) FROM " + sequence.getKey());
                }
                s.execute("RESET ALL");
            }
        } finally {
            control.close();
        }
    }

    @Override
    public String toString() {
        return Arrays.toString(sessions().toArray());
    }
}
