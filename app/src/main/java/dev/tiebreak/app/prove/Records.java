package dev.tiebreak.app.prove;

import dev.tiebreak.app.Complaint;
import dev.tiebreak.app.prove.Judgement.Judged;
import dev.tiebreak.prove.Replay;
import dev.tiebreak.prove.SetupException;
import dev.tiebreak.prove.Verdict;
import dev.tiebreak.prove.spec.Spec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where the records of violations are kept, so that they can be run again: beside the report if there is one, or else in a
 * folder of the user's own in the temporary folder. A file's record takes the place of its last one.
 */
public final class Records {
    private static final String INDEX = "index";

    private final @Nullable Path report;
    private final Map<Path, String> names;

    /** Records of violations of these files, beside a report, or in the temporary folder. */
    public Records(Collection<Path> files, @Nullable Path report) {
        this.report = report;
        this.names = names(files);
    }

    /** A name for what is written about a file: its own, with as many of its folders' names, or a number, as tell it
     * from the others. */
    public String name(Path file) {
        return Objects.requireNonNull(names.get(file));
    }

    private static Map<Path, String> names(Collection<Path> files) {
        Map<Path, String> names = new HashMap<>();
        int deepest = files.stream()
                .mapToInt(file -> file.toAbsolutePath().normalize().getNameCount())
                .max()
                .orElse(0);
        for (int folders = 0; folders < deepest; folders++) {
            Map<String, List<Path>> alike = new HashMap<>();
            for (Path file : files) {
                alike.computeIfAbsent(name(file, folders), name -> new ArrayList<>())
                        .add(file);
            }
            alike.forEach((name, those) -> {
                if (those.size() == 1 && !name.equals(INDEX) && !names.containsValue(name)) {
                    names.putIfAbsent(those.get(0), name);
                }
            });
        }
        // Folders do not tell apart what differs in upper and lower case alone.
        for (Path file : files) {
            for (int number = 2; !names.containsKey(file); number++) {
                String numbered = name(file, 0) + "-" + number;
                if (!names.containsValue(numbered)) {
                    names.put(file, numbered);
                }
            }
        }
        return names;
    }

    private static String name(Path file, int folders) {
        Path path = file.toAbsolutePath().normalize();
        int depth = path.getNameCount();
        StringBuilder name = new StringBuilder(SpecFiles.stem(path));
        for (int i = 1; i <= folders; i++) {
            name.insert(0, i < depth ? path.getName(depth - 1 - i) + "-" : "-");
        }
        return name.toString().toLowerCase(Locale.ROOT);
    }

    /**
     * Writes the record of a violation.
     *
     * @return where it is
     */
    public Path write(Judged judged, Verdict.Violated violated) throws IOException {
        String name = name(judged.file());
        Path to = report == null ? own().resolve(distinct(judged.file(), name)) : report.resolve(name + ".replay");
        // At once, for whoever reads it while it is written again.
        Path written = Files.createTempFile(to.toAbsolutePath().getParent(), name, ".tmp");
        Replay.of(violated, judged.text()).write(written);
        Files.move(written, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return to;
    }

    /** A folder that nobody else can write into. */
    private static Path own() throws IOException {
        String user = System.getProperty("user.name", "user");
        Path folder = Path.of(System.getProperty("java.io.tmpdir", "/tmp"), "tiebreak-" + user.replaceAll("\\W", "_"));
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        if (!Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).getName().equals(user)) {
            throw new IOException(folder + " belongs to somebody else");
        }
        return folder;
    }

    /** So that files of the same name in different folders do not take each other's place. */
    private static String distinct(Path file, String name) {
        String folder = String.valueOf(file.toAbsolutePath().normalize().getParent());
        return String.format(Locale.ROOT, "%s-%06x.replay", name, folder.hashCode() & 0xffffff);
    }

    /**
     * The race of a record, as it was then.
     *
     * @param record where the replay file is; a relative spec is looked for in the working folder, then beside the record
     * @throws SetupException if the spec is gone or has changed
     */
    public static Spec spec(Path record, Replay replay) {
        Path named = Path.of(replay.file());
        Path beside = record.toAbsolutePath().resolveSibling(replay.file());
        Path file = Files.exists(named) || !Files.exists(beside) ? named : beside;
        if (!Files.exists(file)) {
            throw new SetupException(
                    record + ":2: there is no " + named + " here; run it in the folder in which the race was proved");
        }
        try {
            String text = Files.readString(file);
            if (!replay.isOf(text)) {
                throw new SetupException(record + ":3: " + file
                        + " has changed since this was recorded; prove it again for a record of what it is now");
            }
            return Spec.parse(file.toString(), text);
        } catch (IOException e) {
            throw Complaint.about(e);
        }
    }
}
