package dev.tiebreak.app.cli;

import picocli.CommandLine.Option;

/** What every command takes. */
final class StandardOptions {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this text and end.")
    private boolean help;

    @Option(names = "--verbose", description = "Show the stack trace behind a complaint.")
    private boolean verbose;
}
