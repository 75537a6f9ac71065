package dev.tiebreak.app.cli;

import dev.tiebreak.app.Complaint;
import dev.tiebreak.app.Database;
import dev.tiebreak.app.Terminal;
import dev.tiebreak.schema.Schema;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The library's own tables: as SQL, into a database, and whether they are there. */
@Command(
        name = "schema",
        description = {
            "Prints, installs or checks the tables that leases and reservations keep; your own tables are never touched.",
            ""
        },
        sortOptions = false,
        footer = {
            "",
            "print     the SQL, for psql, Flyway or Liquibase; needs no server. It may be run again.",
            "install   creates the tables or upgrades them to this version's, in one transaction; processes that do it at once"
                    + " wait for each other. It may be run again.",
            "validate  says which table or column is not as this version of the library wants it.",
            "",
            "Exit codes: 0 done, 1 validate found something, 3 it could not be run.",
            "",
            "Examples:",
            "  tiebreak schema print > V7__tiebreak.sql",
            "  tiebreak schema print --after 1 > V9__tiebreak.sql    what came after step 1",
            "  tiebreak schema install --url 'jdbc:postgresql://localhost/shop?user=ravi'",
            "  tiebreak schema validate --schema races"
        })
final class SchemaCommand extends HelpfulCommand {
    private final Terminal terminal;

    @Parameters(paramLabel = "print|install|validate", description = "What to do.")
    private String act = "";

    @Option(names = "--schema", paramLabel = "NAME", description = "The schema's name. Default: tiebreak.")
    private String name = "tiebreak";

    @Option(names = "--after", paramLabel = "STEP", description = "For print: only what comes after this step.")
    private int after;

    @Option(
            names = "--url",
            paramLabel = "JDBC_URL",
            description = "Your server, such as jdbc:postgresql://localhost/shop?user=ravi (or TIEBREAK_URL); user and"
                    + " password also from PGUSER and PGPASSWORD. Needed to install and to validate.")
    private @Nullable String url;

    SchemaCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return switch (act) {
            case "print" -> print();
            case "install" -> on(this::install);
            case "validate" -> on(this::validate);
            default -> throw new Complaint("schema can print, install or validate, but not '" + act + "'");
        };
    }

    private int print() {
        try {
            terminal.out().print(schema().sql(after));
        } catch (IllegalArgumentException e) {
            throw new Complaint("--after: " + e.getMessage(), e);
        }
        terminal.out().flush();
        return 0;
    }

    private int install(DataSource source) {
        List<String> steps = schema().install(source);
        terminal.out()
                .println(terminal.verdict(true, "INSTALLED") + "  "
                        + (steps.isEmpty()
                                ? "everything was there already"
                                : "steps taken: " + String.join(", ", steps))
                        + ", schema " + name);
        return 0;
    }

    private int validate(DataSource source) {
        Schema.Check check = schema().validate(source);
        if (check instanceof Schema.Check.Invalid invalid) {
            terminal.out()
                    .println(terminal.verdict(false, "INVALID") + "  schema " + name
                            + "; install it with tiebreak schema install, or see what is wrong:");
            invalid.problems().forEach(problem -> terminal.out().println("  " + problem));
            return 1;
        }
        terminal.out().println(terminal.verdict(true, "VALID") + "  schema " + name);
        return 0;
    }

    private int on(Act wanted) {
        String address = url != null ? url : terminal.env().getOrDefault("TIEBREAK_URL", "");
        if (address.isBlank()) {
            throw new Complaint("schema " + act + " needs the --url of your server, or TIEBREAK_URL");
        }
        try (Database database = Database.at(address, terminal.env())) {
            return wanted.on(database.source("tiebreak schema"));
        }
    }

    private Schema schema() {
        try {
            return Schema.named(name);
        } catch (IllegalArgumentException e) {
            throw new Complaint("--schema: " + e.getMessage(), e);
        }
    }

    private interface Act {
        int on(DataSource source);
    }
}
