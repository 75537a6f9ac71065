package dev.tiebreak;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** A network between the driver and the server that can break while COMMIT is under way; it also counts round trips. */
final class CuttingProxy implements AutoCloseable {
    /** What becomes of a message that says COMMIT. */
    enum Cut {
        NEVER,
        /** The server never hears of it. */
        BEFORE_THE_SERVER,
        /** The server carries it out; its answer is lost. */
        BEFORE_THE_CLIENT
    }

    private final ServerSocket listener;
    private final int serverPort;
    private final String url;
    private final AtomicInteger trips = new AtomicInteger();
    private volatile Cut cut = Cut.NEVER;
    private volatile boolean answered = true;
    private volatile boolean committing;

    CuttingProxy(String url) {
        URI server = URI.create(url.substring("jdbc:".length()));
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        serverPort = server.getPort();
        this.url = url.replace(":" + serverPort + "/", ":" + listener.getLocalPort() + "/");
        Thread.ofVirtual().start(this::accept);
    }

    /** The database's URL through this network; without encryption, so that it can be read. */
    String url() {
        return url + (url.contains("?") ? "&" : "?") + "sslmode=disable&gssEncMode=disable";
    }

    void cut(Cut next) {
        cut = next;
    }

    /** How often the client has spoken and then been answered. */
    int roundTrips() {
        return trips.get();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                Thread.ofVirtual().start(() -> pump(client, server, true));
                Thread.ofVirtual().start(() -> pump(server, client, false));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void pump(Socket from, Socket to, boolean fromClient) {
        byte[] buffer = new byte[64 * 1024];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                if (fromClient) {
                    if (answered) {
                        answered = false;
                        trips.incrementAndGet();
                    }
                    boolean commit = new String(buffer, 0, n, StandardCharsets.ISO_8859_1).contains("COMMIT");
                    if (commit && cut == Cut.BEFORE_THE_SERVER) {
                        return;
                    }
                    committing |= commit;
                } else {
                    answered = true;
                    if (committing && cut == Cut.BEFORE_THE_CLIENT) {
                        return;
                    }
                }
                out.write(buffer, 0, n);
                out.flush();
            }
        } catch (IOException e) {
            // One side has gone; closing both tells the other.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
