package dev.tiebreak.app.cli;

import dev.tiebreak.app.Complaint;
import dev.tiebreak.app.Database;
import dev.tiebreak.app.Terminal;
import dev.tiebreak.app.prove.Invocation;
import dev.tiebreak.embedded.Server;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which PostgreSQL a command runs on. */
final class ServerOptions {
    @Option(
            names = "--url",
            paramLabel = "JDBC_URL",
            description = {
                "Your server, such as jdbc:postgresql://localhost/shop?user=ravi (or TIEBREAK_URL); user and password"
                        + " also from PGUSER and PGPASSWORD. tiebreak works in a schema of its own and drops it.",
                "Default: an embedded PostgreSQL that is removed at the end."
            })
    private @Nullable String url;

    @Option(
            names = "--pg",
            paramLabel = "15|16|17|18",
            description = "Major version of the embedded PostgreSQL. Default: " + Server.NEWEST + ".")
    private @Nullable Integer pg;

    /** These options as they were typed, for a command that is to do the same; a password is masked. */
    String asTyped() {
        if (url != null) {
            return "--url " + Invocation.quoted(Database.printable(url));
        }
        return pg == null ? "" : "--pg " + pg;
    }

    /** Opens the database these options name. */
    Database open(Terminal terminal) {
        if (url != null && pg != null) {
            throw new Complaint("--pg chooses an embedded server and --url yours; give one of them");
        }
        String address = url != null || pg != null ? url : terminal.env().get("TIEBREAK_URL");
        if (address != null && !address.isBlank()) {
            return Database.at(address, terminal.env());
        }
        if (url != null) {
            throw new Complaint("--url is empty; give jdbc:postgresql://HOST:PORT/DATABASE, or leave it out");
        }
        int major = pg == null ? Server.NEWEST : pg;
        if (major < Server.OLDEST || major > Server.NEWEST) {
            throw new Complaint("--pg " + major + " is not embedded; choose " + Server.OLDEST + " to " + Server.NEWEST
                    + ", or give the --url of a server");
        }
        terminal.progress("starting PostgreSQL " + major + " …");
        try {
            return Database.embedded(major);
        } finally {
            terminal.progressDone();
        }
    }
}
