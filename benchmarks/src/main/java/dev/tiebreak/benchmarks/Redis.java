package dev.tiebreak.benchmarks;

import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** A redis-server of this machine, started on a free port with nothing on disk, and a client of it. */
record Redis(Process server, RedissonClient client) implements AutoCloseable {

    /** Null if there is no {@code redis-server} on the path. */
    static @Nullable Redis startIfInstalled() throws IOException {
        Path program = Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(path -> Path.of(path, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        if (program == null) {
            return null;
        }
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        Process server = new ProcessBuilder(
                        program.toString(),
                        "--port",
                        Integer.toString(port),
                        "--bind",
                        "127.0.0.1",
                        "--save",
                        "",
                        "--appendonly",
                        "no")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Config config = new Config();
        config.useSingleServer()
                .setAddress("redis://127.0.0.1:" + port)
                .setRetryAttempts(50)
                .setConnectionMinimumIdleSize(16)
                .setConnectionPoolSize(16);
        try {
            return new Redis(server, Redisson.create(config));
        } catch (RuntimeException e) {
            server.destroy();
            throw e;
        }
    }

    @Override
    public void close() {
        client.shutdown(0, 5, TimeUnit.SECONDS);
        server.destroy();
    }
}
