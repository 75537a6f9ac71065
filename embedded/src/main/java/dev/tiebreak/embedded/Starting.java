package dev.tiebreak.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A server's folder while the server is being started: a JVM that is ended meanwhile (Ctrl-C during initdb) leaves neither the
 * folder nor a process behind. Once the server runs, its own shutdown hook takes over.
 */
final class Starting implements AutoCloseable {
    private static final int MOST_SECONDS = 10;

    private final Path folder;
    private final Thread hook = new Thread(this::undo, "tiebreak-embedded-undo");
    private final CountDownLatch settled = new CountDownLatch(1);
    private volatile boolean ending;

    Starting() throws IOException {
        folder = Files.createTempDirectory("epg");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    Path folder() {
        return folder;
    }

    /** Ends the watch; while the JVM is ending, the caller's thread stays here: nobody is there to be told. */
    @Override
    public void close() {
        settled.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            if (ending) {
                stay();
            }
        }
    }

    private static void stay() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void undo() {
        ending = true;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
        boolean over = false;
        while (System.nanoTime() < end && !(over && !Files.exists(folder))) {
            over = settled.getCount() == 0;
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
            delete();
            try {
                boolean ignored = settled.await(20, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void delete() {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            // A process that is being ended still writes there; the next round deletes again.
        }
    }
}
