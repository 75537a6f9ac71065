package dev.tiebreak.app.cli;

import dev.tiebreak.app.Complaint;
import dev.tiebreak.app.Terminal;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The front door of the commands, and the {@code main} of the runnable jar. */
@Command(
        name = "tiebreak",
        description = "Decides races on PostgreSQL: shows them, measures the cures, and proves them.",
        versionProvider = Tiebreak.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Every command runs on an embedded PostgreSQL, or on yours with --url JDBC_URL or TIEBREAK_URL.",
            "",
            "Start with:",
            "  tiebreak sale              200 buyers, 50 units: naive code, and nine cures",
            "  tiebreak prove FILE        every order in which two transactions can meet",
            "  tiebreak COMMAND --help    options, exit codes and examples of a command"
        })
public final class Tiebreak implements Callable<Integer> {
    /** The driver logs to stderr what its exceptions say again, and what a complaint says in one line. */
    private static final Logger DRIVER = Logger.getLogger("org.postgresql");

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this text and end.")
    @SuppressWarnings("unused") // picocli answers it
    private boolean help;

    @Option(names = "--version", versionHelp = true, description = "Show the version and end.")
    @SuppressWarnings("unused") // picocli answers it
    private boolean version;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli's
    private CommandSpec spec;

    private Tiebreak() {}

    /** Runs one command and ends the process with its exit code. */
    public static void main(String[] args) {
        Terminal terminal = Terminal.ofProcess();
        int exitCode = run(terminal, args);
        terminal.out().flush();
        terminal.err().flush();
        System.exit(exitCode);
    }

    /** Runs one command in this process and returns its exit code. */
    public static int run(Terminal terminal, String... args) {
        DRIVER.setLevel(Level.OFF);
        CommandLine line = new CommandLine(new Tiebreak())
                .addSubcommand(new ProveCommand(terminal))
                .addSubcommand(new SaleCommand(terminal))
                .addSubcommand(new BenchCommand(terminal))
                .addSubcommand(new PlanCommand(terminal))
                .addSubcommand(new PgSuiteCommand(terminal))
                .addSubcommand(new SchemaCommand(terminal))
                .setOut(terminal.out())
                .setErr(terminal.err())
                .setUsageHelpAutoWidth(true)
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
                .setParameterExceptionHandler((e, a) -> complain(terminal, e.getCommandLine(), wrongArguments(e), a))
                .setExecutionExceptionHandler((e, c, parsed) -> {
                    waitIfGoingDown();
                    return complain(
                            terminal,
                            c,
                            Complaint.about(e),
                            parsed.originalArgs().toArray(String[]::new));
                });
        return line.execute(args);
    }

    /** Without a command: says what there is. */
    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getOut());
        return 0;
    }

    private static int complain(Terminal terminal, CommandLine command, Complaint complaint, String... args) {
        terminal.note(command.getCommandSpec().qualifiedName() + ": " + complaint.getMessage());
        if (Arrays.asList(args).contains("--verbose")) {
            complaint.printStackTrace(terminal.err());
        }
        terminal.err().flush();
        return Complaint.EXIT_CODE;
    }

    private static Complaint wrongArguments(ParameterException e) {
        String command = e.getCommandLine().getCommandSpec().qualifiedName();
        String what = String.valueOf(e.getMessage());
        if (e instanceof UnmatchedArgumentException unmatched) {
            String like = String.join(" or ", unmatched.getSuggestions());
            what = "unknown " + (unmatched.isUnknownOption() ? "option " : "argument ")
                    + unmatched.getUnmatched().get(0) + (like.isEmpty() ? "" : " (did you mean " + like + "?)");
        }
        return new Complaint(what + "; see " + command + " --help", e);
    }

    /** After Ctrl-C the server goes away under a running command: its complaints are no news. */
    static void waitIfGoingDown() {
        Thread probe = new Thread(() -> {});
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            Runtime.getRuntime().removeShutdownHook(probe);
        } catch (IllegalStateException goingDown) {
            while (true) {
                LockSupport.park();
            }
        }
    }

    /** The version of the build. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Tiebreak.class.getPackage().getImplementationVersion();
            return new String[] {
                "tiebreak " + (version == null ? "(not from the runnable jar)" : version), "Java " + Runtime.version()
            };
        }
    }
}
