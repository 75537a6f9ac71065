package dev.tiebreak.benchmarks;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the command line asked for.
 *
 * @param quick whether a look is enough: at most a minute, figures only roughly right
 * @param only the cases to run: those whose name contains a match; all if null
 * @param json where to write the rows as JSON; nowhere if null
 */
public record Options(
        boolean quick, @Nullable Pattern only, @Nullable Path json) {

    /** Whether the case of this name was asked for. */
    public boolean wants(String name) {
        return only == null || only.matcher(name).find();
    }

    /**
     * Reads what follows the name of the benchmark.
     *
     * @throws IllegalArgumentException with one line that says which argument is wrong
     */
    static Options parse(List<String> arguments) {
        boolean quick = false;
        Pattern only = null;
        Path json = null;
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            switch (argument) {
                case "--quick" -> quick = true;
                case "--only" -> only = Pattern.compile(valueOf(argument, arguments, ++i));
                case "--json" -> json = Path.of(valueOf(argument, arguments, ++i));
                default -> throw new IllegalArgumentException("unknown argument '" + argument + "'");
            }
        }
        return new Options(quick, only, json);
    }

    private static String valueOf(String argument, List<String> arguments, int at) {
        if (at == arguments.size()) {
            throw new IllegalArgumentException(argument + " needs a value");
        }
        return arguments.get(at);
    }
}
