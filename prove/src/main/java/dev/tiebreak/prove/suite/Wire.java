package dev.tiebreak.prove.suite;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;

/**
 * Makes the socket of one connection and knows whether the driver has read all that the server sent.
 *
 * <p>The tester prints the notices of a session when it finds it blocked. They are in the socket by then, but the driver
 * reads on another thread, which a busy machine may not have run yet. Public, because the driver makes it by name.
 */
public final class Wire extends SocketFactory {
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final Map<String, Wire> MADE = new ConcurrentHashMap<>();

    private volatile InputStream in = InputStream.nullInputStream();
    private volatile boolean reading;

    /** Called by the driver with its {@code socketFactoryArg}. */
    public Wire(String number) {
        MADE.put(number, this);
    }

    /** A name under which the driver's factory can be found once it has connected. */
    static String newNumber() {
        return String.valueOf(NUMBERS.incrementAndGet());
    }

    /** The factory that the driver made for this number; it is forgotten here. */
    static Wire made(String number) {
        Wire wire = MADE.remove(number);
        if (wire == null) {
            throw new IllegalStateException("the driver made no socket " + number);
        }
        return wire;
    }

    /** Whether the driver waits for the server to send more, and nothing has come. */
    boolean isDrained() throws IOException {
        return reading && in.available() == 0;
    }

    @Override
    public Socket createSocket() {
        return new Socket() {
            @Override
            public InputStream getInputStream() throws IOException {
                in = super.getInputStream();
                return new Watched(in);
            }
        };
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException("the driver connects its sockets itself");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException("the driver connects its sockets itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException("the driver connects its sockets itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException("the driver connects its sockets itself");
    }

    private final class Watched extends FilterInputStream {
        Watched(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            reading = true;
            try {
                return super.read();
            } finally {
                reading = false;
            }
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            reading = true;
            try {
                return super.read(bytes, offset, length);
            } finally {
                reading = false;
            }
        }
    }
}
