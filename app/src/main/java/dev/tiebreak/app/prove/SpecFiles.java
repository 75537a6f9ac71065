package dev.tiebreak.app.prove;

import dev.tiebreak.app.Complaint;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The spec files that the arguments of a command name. */
public final class SpecFiles {
    private static final String ENDING = ".spec";

    private SpecFiles() {}

    /**
     * The files as the user named them, each once: a file as it is, of a folder every {@code *.spec} in it and below it in
     * the order of their names. Hidden folders are left out.
     *
     * @throws Complaint if there is no such file, or a folder has none
     */
    public static List<Path> in(Collection<Path> named) {
        Map<Path, Path> files = new LinkedHashMap<>();
        for (Path path : named) {
            if (Files.isDirectory(path)) {
                List<Path> found = below(path);
                if (found.isEmpty()) {
                    throw new Complaint(path + " holds no *" + ENDING + " file; name a spec file, or a folder of them");
                }
                found.forEach(file -> add(files, file));
            } else if (Files.exists(path)) {
                add(files, path);
            } else {
                throw new Complaint("there is no " + path + "; correct the path");
            }
        }
        return List.copyOf(files.values());
    }

    /** A file may be named in several ways, such as {@code a.spec} and {@code ./a.spec}. */
    private static void add(Map<Path, Path> files, Path file) {
        files.putIfAbsent(file.toAbsolutePath().normalize(), file);
    }

    /** A file's name without its ending. */
    public static String stem(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.endsWith(ENDING) ? name.substring(0, name.length() - ENDING.length()) : name;
    }

    private static List<Path> below(Path folder) {
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) {
                    boolean hidden = !each.equals(folder)
                            && String.valueOf(each.getFileName()).startsWith(".");
                    return hidden ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (file.toString().endsWith(ENDING)) {
                        found.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw Complaint.about(e);
        }
        return found.stream().sorted().toList();
    }
}
