package dev.tiebreak.prove.suite;

import dev.tiebreak.prove.spec.Permutation;
import dev.tiebreak.prove.spec.Permutation.Turn;
import dev.tiebreak.prove.spec.Session;
import dev.tiebreak.prove.spec.Spec;
import dev.tiebreak.prove.spec.Sql;
import dev.tiebreak.prove.spec.Step;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Runs the permutations of one spec and prints what PostgreSQL's isolation tester prints.
 *
 * <p>One use, one thread. The connections are made at the start and used for all permutations, as the stock tester does.
 */
public final class Tester implements AutoCloseable {
    private final Spec spec;
    private final Map<String, Step> steps;
    private final Map<String, Client> clients = new LinkedHashMap<>();
    private final Map<String, Client> clientOfStep = new HashMap<>();
    private final Client control;
    private final Duration stepLimit;
    private final StringBuilder out = new StringBuilder();
    private int permutations;

    /**
     * Connects one client a session and one to look on.
     *
     * @param url of the database, with user and password
     * @param name of the test, part of {@code application_name}
     * @param stepLimit after this time a step is cancelled, after twice the time the run is given up
     */
    public Tester(Spec spec, String url, String name, Duration stepLimit) throws SQLException {
        this.spec = spec;
        this.steps = spec.steps();
        this.stepLimit = stepLimit;
        String application = "isolation/" + name + "/";
        this.control = Client.connect(url, "control", application + "control connection");
        try {
            for (Session session : spec.sessions()) {
                Client client = Client.connect(url, session.name(), application + session.name());
                clients.put(session.name(), client);
                session.steps().forEach(step -> clientOfStep.put(step.name(), client));
            }
        } catch (SQLException e) {
            close();
            throw e;
        }
    }

    /**
     * Runs every permutation that the file names, or else all there are.
     *
     * @return everything printed, standard error included
     * @throws TesterException if a setup fails or a step does not come to its end
     */
    public String run() throws SQLException {
        spec.unusedSteps().stream().sorted().forEach(step -> print("unused step name: " + step + "\n"));
        print("Parsed test spec with " + spec.sessions().size() + " sessions\n");
        if (spec.permutations().isEmpty()) {
            everyOrder(new ArrayList<>(), new int[spec.sessions().size()]);
        } else {
            for (Permutation permutation : spec.permutations()) {
                run(permutation.turns());
            }
        }
        return printed();
    }

    /** How many permutations have been started. */
    public int permutations() {
        return permutations;
    }

    /** What has been printed so far. */
    public String printed() {
        return out.toString();
    }

    /** Closes all connections; what runs is cancelled. */
    @Override
    public void close() throws SQLException {
        SQLException failed = null;
        List<Client> all = new ArrayList<>(clients.values());
        all.add(control);
        for (Client client : all) {
            try {
                client.close();
            } catch (SQLException e) {
                failed = e;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    private void everyOrder(List<Turn> chosen, int[] next) throws SQLException {
        boolean complete = true;
        for (int i = 0; i < next.length; i++) {
            List<Step> pile = spec.sessions().get(i).steps();
            if (next[i] < pile.size()) {
                complete = false;
                Step step = pile.get(next[i]++);
                chosen.add(new Turn(step.name(), List.of(), step.at()));
                everyOrder(chosen, next);
                chosen.removeLast();
                next[i]--;
            }
        }
        if (complete) {
            run(chosen);
        }
    }

    private void run(List<Turn> turns) throws SQLException {
        permutations++;
        print("\nstarting permutation: " + turns.stream().map(Turn::step).collect(Collectors.joining(" ")) + "\n");
        for (Sql sql : spec.setup()) {
            setUp(control, sql, "setup failed: ");
        }
        for (Session session : spec.sessions()) {
            if (session.setup().isPresent()) {
                setUp(client(session), session.setup().get(), "setup of session " + session.name() + " failed: ");
            }
        }
        new Schedule(this, turns).run();
        for (Session session : spec.sessions()) {
            if (session.teardown().isPresent()) {
                tearDown(
                        client(session),
                        session.teardown().get(),
                        "teardown of session " + session.name() + " failed: ");
            }
        }
        if (spec.teardown().isPresent()) {
            tearDown(control, spec.teardown().get(), "teardown failed: ");
        }
    }

    private void setUp(Client client, Sql sql, String failure) throws SQLException {
        Answer answer = around(client, sql);
        if (answer.error().isPresent()) {
            throw new TesterException(
                    sql.at() + ": " + failure + answer.errorText().strip());
        }
    }

    private void tearDown(Client client, Sql sql, String failure) throws SQLException {
        Answer answer = around(client, sql);
        print(answer.error().isPresent() ? failure + answer.errorText() : "");
    }

    /** Runs setup or teardown: only the last result is shown, and none of the notices of the control connection. */
    private Answer around(Client client, Sql sql) throws SQLException {
        Answer answer = client.run(sql.text());
        String notices = client.freshNotices();
        print(client == control ? "" : notices);
        if (answer.error().isEmpty() && answer.lastIsTable()) {
            print(answer.tables().getLast());
        }
        return answer;
    }

    private Client client(Session session) {
        Client client = clients.get(session.name());
        if (client == null) {
            throw new IllegalArgumentException("no session " + session.name());
        }
        return client;
    }

    Client clientOf(Turn turn) {
        return clientOf(turn.step());
    }

    Client clientOf(String step) {
        Client client = clientOfStep.get(step);
        if (client == null) {
            throw new IllegalArgumentException("no step " + step);
        }
        return client;
    }

    String sqlOf(Turn turn) {
        Step step = steps.get(turn.step());
        if (step == null) {
            throw new IllegalArgumentException("no step " + turn.step());
        }
        return step.sql().text();
    }

    /** The name of the session with that process, or the number. */
    String senderWith(int pid) {
        return clients.values().stream()
                .filter(client -> client.pid() == pid)
                .map(Client::name)
                .findFirst()
                .orElse("PID " + pid);
    }

    /** Asks the server whether a session waits for another one of this test. */
    boolean isBlocked(Client client) throws SQLException {
        String pids = clients.values().stream()
                .map(other -> String.valueOf(other.pid()))
                .collect(Collectors.joining(","));
        return control.ask(
                "SELECT pg_catalog.pg_isolation_test_session_is_blocked(" + client.pid() + ", '{" + pids + "}')");
    }

    Duration stepLimit() {
        return stepLimit;
    }

    void print(String text) {
        out.append(text);
    }
}
