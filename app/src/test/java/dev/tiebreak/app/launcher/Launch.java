package dev.tiebreak.app.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The launcher as a process of its own, and the repository it is run in. */
final class Launch {
    private final Process process;
    private final Path out;
    private final Path err;

    private Launch(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** The repository these tests belong to. */
    static Path repository() {
        return Path.of("..").toAbsolutePath().normalize();
    }

    /** Copies what a clone would hold: the files that git knows or would add, as they are now. */
    static Path clone(Path into) throws IOException, InterruptedException {
        Path list = Files.createTempFile(into, "files", ".txt");
        Process git = new ProcessBuilder("git", "ls-files", "--cached", "--others", "--exclude-standard")
                .directory(repository().toFile())
                .redirectOutput(list.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (git.waitFor() != 0) {
            throw new IOException("git ls-files failed in " + repository());
        }
        Path clone = into.resolve("clone");
        for (String file : Files.readAllLines(list)) {
            Path from = repository().resolve(file);
            if (Files.isRegularFile(from)) {
                Path to = clone.resolve(file);
                Files.createDirectories(to.getParent());
                Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        return clone;
    }

    /** A folder that looks like a JDK of that version and cannot run anything. */
    static Path fakeJdk(Path folder, int version) throws IOException {
        script(folder.resolve("bin/java"), "echo 'the wrong java ran' >&2; exit 9");
        script(folder.resolve("bin/javac"), "exit 9");
        Files.writeString(folder.resolve("release"), "JAVA_VERSION=\"" + version + ".0.1\"\n");
        return folder;
    }

    /** Writes an executable bash script. */
    static Path script(Path file, String body) throws IOException {
        return executable(file, "#!/usr/bin/env bash\n" + body + "\n");
    }

    /** Writes an executable file. */
    static Path executable(Path file, String text) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, text);
        if (!file.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + file + " executable");
        }
        return file;
    }

    /** Starts {@code ./tiebreak} there; JAVA_HOME and TIEBREAK_* of the test run are not handed on. */
    static Launch start(Path repository, Map<String, String> env, String... args) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(repository.resolve("tiebreak").toString()));
        command.addAll(List.of(args));
        Path out = Files.createTempFile(repository, "out", ".log");
        Path err = Files.createTempFile(repository, "err", ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(repository.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.equals("JAVA_HOME") || name.startsWith("TIEBREAK_"));
        builder.environment().putAll(env);
        return new Launch(builder.start(), out, err);
    }

    /** Waits for its end, at most 4 minutes, and returns its exit code. */
    int exitCode() throws InterruptedException, IOException {
        if (!process.waitFor(240, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("still running after 4 minutes:\n" + err());
        }
        return process.exitValue();
    }

    /** What Ctrl-C sends. */
    void interrupt() throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-INT", String.valueOf(process.pid()))
                .start()
                .waitFor();
    }

    /** Waits until it is so, at most 60 s. */
    void await(String what, BooleanSupplier condition) throws InterruptedException, IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline || !process.isAlive()) {
                throw new AssertionError("not reached: " + what + "\n" + out() + err());
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    String out() throws IOException {
        return Files.readString(out);
    }

    String err() throws IOException {
        return Files.readString(err);
    }

    boolean said(String text) {
        try {
            return err().contains(text);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
