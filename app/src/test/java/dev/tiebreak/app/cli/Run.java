package dev.tiebreak.app.cli;

import dev.tiebreak.app.Terminal;
import dev.tiebreak.embedded.Server;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A command run in this process: what it answered. */
record Run(int exitCode, String out, String err) {
    /** Runs it without a server in the arguments or the environment. */
    static Run tiebreak(String... args) {
        return with(Map.of(), args);
    }

    /** Runs it with these environment variables. */
    static Run with(Map<String, String> env, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Terminal terminal = new Terminal(new PrintWriter(out, true), new PrintWriter(err, true), env, false, false);
        int exitCode = Tiebreak.run(terminal, args);
        return new Run(exitCode, out.toString(), err.toString());
    }

    /** Runs it on a fresh database of the server that all tests share. */
    static Run onFreshDatabase(String... args) {
        return on(Server.shared(18).newDatabase(), args);
    }

    /** Runs it on a database. */
    static Run on(String url, String... args) {
        return tiebreak(Stream.concat(Stream.of(args), Stream.of("--url", url)).toArray(String[]::new));
    }

    /** The only line it complained with. */
    String complaint() {
        List<String> lines = err.lines().toList();
        if (lines.size() != 1) {
            throw new AssertionError("expected one line on stderr, got " + lines.size() + ":\n" + err);
        }
        return lines.get(0);
    }
}
