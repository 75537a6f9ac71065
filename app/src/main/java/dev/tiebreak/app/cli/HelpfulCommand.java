package dev.tiebreak.app.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/** A command with the options that every command takes. */
@SuppressWarnings("unused") // picocli answers --help itself, and --verbose is looked up when a command has failed
abstract class HelpfulCommand implements Callable<Integer> {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            order = 100,
            description = "Show this text and end.")
    private boolean help;

    @Option(names = "--verbose", order = 99, description = "Show the stack trace behind a complaint.")
    private boolean verbose;
}
