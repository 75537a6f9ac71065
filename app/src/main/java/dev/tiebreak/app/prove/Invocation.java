package dev.tiebreak.app.prove;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How this command was called, for commands that its output names: they do what they say when they are pasted.
 *
 * @param program what was typed to run tiebreak
 * @param server the options that choose the server, or empty
 */
public record Invocation(String program, String server) {
    /** The calling of this process, which the launcher tells in {@code tiebreak.command}. */
    public static Invocation ofProcess(String server) {
        String command = System.getProperty("tiebreak.command");
        return new Invocation(command == null ? withoutLauncher() : quoted(command), server);
    }

    private static String withoutLauncher() {
        CodeSource source = Invocation.class.getProtectionDomain().getCodeSource();
        try {
            String jar =
                    source == null ? "" : Path.of(source.getLocation().toURI()).toString();
            return jar.endsWith(".jar") ? "java -jar " + quoted(jar) : "tiebreak";
        } catch (URISyntaxException e) {
            return "tiebreak";
        }
    }

    /** Runs a record again. */
    public String replay(Path record) {
        return prove("--replay " + quoted(record.toString()));
    }

    /** Proves files and tries the cures. */
    public String fixes(List<Path> paths) {
        return prove(paths.stream().map(path -> quoted(path.toString())).collect(Collectors.joining(" ")) + " --fixes");
    }

    private String prove(String arguments) {
        return program + " prove " + arguments + (server.isEmpty() ? "" : " " + server);
    }

    /** As a shell takes it for one word. */
    public static String quoted(String word) {
        return word.matches("[\\w./:@%+=,-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
