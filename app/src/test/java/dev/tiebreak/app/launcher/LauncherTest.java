package dev.tiebreak.app.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher's own work, with a {@code mvn} that only copies a tiny jar. */
class LauncherTest {
    @TempDir
    private Path folder;

    private Path repository;
    private Path mvnRuns;
    private Path bin;

    @BeforeEach
    void layOut() throws IOException {
        repository = Files.createDirectories(folder.resolve("a clone"));
        Files.copy(
                Launch.repository().resolve("tiebreak"),
                repository.resolve("tiebreak"),
                java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        Files.writeString(repository.resolve("pom.xml"), "");
        for (String module : List.of("embedded", "core", "prove", "app")) {
            Files.createDirectories(repository.resolve(module + "/src/main/java"));
            Files.writeString(repository.resolve(module + "/pom.xml"), "");
            Files.writeString(repository.resolve(module + "/src/main/java/A.java"), "");
        }
        mvnRuns = folder.resolve("mvn-runs");
        bin = folder.resolve("bin");
        Path jar = tinyJar(folder.resolve("tiny.jar"));
        mvn("echo run >>'" + mvnRuns + "'; cp '" + jar + "' '" + repository + "/app/target/launch/tiebreak.jar'");
    }

    @Test
    void launch_jarMissing_buildsSaysSoAndRunsOnceBuilt() throws Exception {
        Launch first = launch("a", "b");
        assertThat(first.exitCode()).isEqualTo(2);
        assertThat(first.out()).startsWith("ran a b on ");
        assertThat(first.err()).isEqualTo("tiebreak: building the runnable jar (without tests and checks) …\n");

        Launch second = launch();
        assertThat(second.exitCode()).isZero();
        assertThat(second.err()).isEmpty();
        assertThat(mvnRuns).content().isEqualTo("run\n");
    }

    @Test
    void launch_sourceNewerThanTheJar_buildsAgain() throws Exception {
        assertThat(launch().exitCode()).isZero();
        Files.setLastModifiedTime(
                repository.resolve("core/src/main/java/A.java"),
                FileTime.from(Instant.now().plusSeconds(2)));

        assertThat(launch().exitCode()).isZero();

        assertThat(mvnRuns).content().isEqualTo("run\nrun\n");
    }

    @Test
    void launch_twoAtOnce_buildOnceAndBothRun() throws Exception {
        Path go = folder.resolve("go");
        String copy =
                Files.readString(bin.resolve("mvn")).lines().skip(1).findFirst().orElseThrow();
        mvn("until [[ -e '" + go + "' ]]; do sleep 0.05; done; " + copy);
        Launch first = launch();
        first.await("the build", () -> first.said("building"));
        Launch second = launch();
        second.await("the wait", () -> second.said("waiting for another launch"));
        Files.createFile(go);

        assertThat(first.exitCode()).isZero();
        assertThat(second.exitCode()).isZero();
        assertThat(second.out()).startsWith("ran ");
        assertThat(mvnRuns).content().isEqualTo("run\n");
    }

    @Test
    void launch_lockOfAKilledLaunch_isTakenOver() throws Exception {
        Process dead = new ProcessBuilder("true").start();
        dead.waitFor();
        Path lock = Files.createDirectories(repository.resolve("app/target/launch.lock"));
        Files.writeString(lock.resolve("pid"), dead.pid() + "\n");

        assertThat(launch().exitCode()).isZero();

        assertThat(lock).doesNotExist();
    }

    @Test
    void launch_interruptedWhileBuilding_releasesTheLock() throws Exception {
        mvn("sleep 2");
        Launch launch = launch();
        launch.await("the build", () -> launch.said("building"));
        launch.interrupt();

        assertThat(launch.exitCode()).isEqualTo(130);
        assertThat(repository.resolve("app/target/launch.lock")).doesNotExist();
    }

    @Test
    void launch_buildFails_showsTheErrorAndTheLog() throws Exception {
        mvn("echo '[ERROR] A.java:[1,1] not a statement'; exit 1");
        Launch launch = launch();

        assertThat(launch.exitCode()).isEqualTo(3);
        assertThat(launch.err())
                .contains("[ERROR] A.java:[1,1] not a statement", "tiebreak: the build failed", "build.log");
        assertThat(repository.resolve("app/target/launch.lock")).doesNotExist();
    }

    @Test
    void launch_pathAndJavaHomeTooOld_findsANewerOne() throws Exception {
        Path old = Launch.fakeJdk(folder.resolve("jdk-17"), 17);
        Launch launch = Launch.start(
                repository,
                Map.of(
                        "JAVA_HOME",
                        old.toString(),
                        "PATH",
                        bin + ":" + old.resolve("bin") + ":" + System.getenv("PATH")));

        assertThat(launch.exitCode()).isZero();
        assertThat(Integer.parseInt(launch.out().strip().replaceFirst(".* on ", "")))
                .isGreaterThanOrEqualTo(21);
    }

    @Test
    void launch_noJdk_saysWhereItLooked() throws Exception {
        String script = Files.readString(repository.resolve("tiebreak"));
        Files.writeString(
                repository.resolve("tiebreak"), script.replaceAll("(?s)for home in .*?; do", "for home in; do"));
        Path old = Launch.fakeJdk(folder.resolve("jdk-17"), 17);
        Launch launch = Launch.start(
                repository,
                Map.of("PATH", old.resolve("bin") + ":" + System.getenv("PATH"), "JAVA_HOME", old.toString()));

        assertThat(launch.exitCode()).isEqualTo(3);
        assertThat(launch.err())
                .isEqualTo("tiebreak: no JDK 21 or later in JAVA_HOME, on the PATH or in the usual folders;"
                        + " install one, or set JAVA_HOME to it\n");
    }

    @Test
    void launch_noMaven_saysSo() throws Exception {
        Path tools = Files.createDirectories(folder.resolve("tools"));
        for (String tool : List.of(
                "bash",
                "env",
                "dirname",
                "readlink",
                "sed",
                "sort",
                "cut",
                "find",
                "head",
                "mkdir",
                "cat",
                "rm",
                "mv",
                "sleep",
                "touch",
                "grep",
                "tail")) {
            Launch.executable(tools.resolve(tool), "#!/bin/sh\nexec " + which(tool) + " \"$@\"\n");
        }
        Launch launch = Launch.start(repository, Map.of("PATH", tools.toString()));

        assertThat(launch.exitCode()).isEqualTo(3);
        assertThat(launch.err())
                .isEqualTo("tiebreak: mvn is needed to build and is not on the PATH; install Maven 3.8.1 or later\n");
    }

    private Launch launch(String... args) throws IOException {
        return Launch.start(repository, Map.of("PATH", bin + ":" + System.getenv("PATH")), args);
    }

    private void mvn(String body) throws IOException {
        Launch.script(bin.resolve("mvn"), body);
    }

    private static Path which(String tool) {
        return List.of(System.getenv("PATH").split(":")).stream()
                .map(dir -> Path.of(dir, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    private static Path tinyJar(Path jar) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Echo.class.getName());
        String entry = Echo.class.getName().replace('.', '/') + ".class";
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                InputStream in = Echo.class.getClassLoader().getResourceAsStream(entry)) {
            out.putNextEntry(new JarEntry(entry));
            java.util.Objects.requireNonNull(in).transferTo(out);
            out.closeEntry();
        }
        return jar;
    }
}
