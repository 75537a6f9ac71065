package dev.tiebreak.app.report;

import dev.tiebreak.app.Complaint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/** Results as JSON in a file, for machines. */
public final class Json {
    private static final JSON WRITER = JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT);

    private Json() {}

    /** Checks before hours of work that a file can be written at its end. */
    public static void requireWritable(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)) {
            throw new Complaint(file + " is a folder; name a file");
        }
        if (folder == null || !Files.isDirectory(folder)) {
            throw new Complaint(
                    "there is no folder " + folder + " for " + file.getFileName() + "; create it or correct the path");
        }
        if (!Files.isWritable(Files.exists(file) ? file : folder)) {
            throw new Complaint("no right to write " + file + "; correct the path or its rights");
        }
    }

    /** Writes the value, over what was there. */
    public static void write(Path file, Map<String, ?> value) {
        try {
            Files.writeString(file, WRITER.asString(value) + "\n");
        } catch (IOException e) {
            throw Complaint.about(e);
        }
    }

    /** Reads an object from a file. */
    public static Map<String, Object> read(Path file) {
        try {
            return JSON.std.mapFrom(Files.readString(file));
        } catch (JacksonException e) {
            throw new Complaint(
                    file + " is not JSON (" + e.getOriginalMessage() + "); give a file written by --json", e);
        } catch (IOException e) {
            throw Complaint.about(e);
        }
    }
}
