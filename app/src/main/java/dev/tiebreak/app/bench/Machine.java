package dev.tiebreak.app.bench;

import com.sun.management.OperatingSystemMXBean;
import dev.tiebreak.app.Database;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Where and when something was measured: without it a rate says nothing. */
public final class Machine {
    private Machine() {}

    /** What identifies the machine, the server and its settings, in reading order. */
    public static Map<String, String> facts(Database database) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(
                "date",
                LocalDateTime.now(ZoneId.systemDefault())
                        .format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT)));
        facts.put("machine", Runtime.getRuntime().availableProcessors() + " cores of " + processor() + ", " + memory());
        facts.put(
                "system",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
        facts.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
        facts.put(
                "server",
                database.description() + (database.isEmbedded() ? ", on the same machine as the clients" : ""));
        facts.put(
                "settings",
                database.settings().entrySet().stream()
                        .map(setting -> setting.getKey() + "=" + setting.getValue())
                        .collect(Collectors.joining(", ")));
        return facts;
    }

    private static String processor() {
        try {
            Path cpuinfo = Path.of("/proc/cpuinfo");
            if (Files.isReadable(cpuinfo)) {
                return Files.readAllLines(cpuinfo).stream()
                        .filter(line -> line.startsWith("model name"))
                        .map(line ->
                                line.substring(line.indexOf(':') + 1).strip().replaceAll("\\((R|TM)\\)", ""))
                        .findFirst()
                        .orElse(System.getProperty("os.arch"));
            }
            if (System.getProperty("os.name").startsWith("Mac")) {
                return answerOf(List.of("sysctl", "-n", "machdep.cpu.brand_string"));
            }
        } catch (IOException e) {
            // The architecture has to do.
        }
        return System.getProperty("os.arch");
    }

    private static String answerOf(List<String> command) throws IOException {
        try (var answer =
                new ProcessBuilder(command).redirectErrorStream(true).start().inputReader(StandardCharsets.UTF_8)) {
            String line = answer.readLine();
            return line == null ? System.getProperty("os.arch") : line.strip();
        }
    }

    private static String memory() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
                ? String.format(Locale.ROOT, "%.0f GiB", os.getTotalMemorySize() / (double) (1L << 30))
                : "memory unknown";
    }
}
