package dev.tiebreak.app.bench;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A source of connections that writes down what is sent, one entry a round trip: BEGIN rides with the first. */
final class Recording {
    private final DataSource real;
    private final List<Sent> sent = new ArrayList<>();

    Recording(DataSource real) {
        this.real = real;
    }

    /**
     * One round trip.
     *
     * @param sql what was sent, one statement or several
     * @param values the bind parameters in order
     */
    record Sent(String sql, List<Object> values) {}

    /** What was sent so far. */
    List<Sent> sent() {
        return List.copyOf(sent);
    }

    /** The source to use. */
    DataSource source() {
        return proxy(
                DataSource.class,
                real,
                (method, args, result) -> result instanceof Connection c ? recorded(c) : result);
    }

    private Connection recorded(Connection connection) {
        return proxy(Connection.class, connection, (method, args, result) -> {
            if (method.getName().equals("commit") || method.getName().equals("rollback")) {
                sent.add(new Sent(method.getName().toUpperCase(Locale.ROOT), List.of()));
            }
            if (result instanceof PreparedStatement s) {
                return recorded(s, String.valueOf(args[0]));
            }
            return result instanceof Statement s ? recorded(s) : result;
        });
    }

    private PreparedStatement recorded(PreparedStatement statement, String sql) {
        Map<Integer, Object> values = new TreeMap<>();
        return proxy(PreparedStatement.class, statement, (method, args, result) -> {
            if (method.getName().startsWith("set") && args.length >= 2 && args[0] instanceof Integer index) {
                values.put(index, args[1]);
            } else if (method.getName().startsWith("execute")) {
                sent.add(new Sent(sql, List.copyOf(values.values())));
            }
            return result;
        });
    }

    private Statement recorded(Statement statement) {
        return proxy(Statement.class, statement, (method, args, result) -> {
            if (method.getName().startsWith("execute")) {
                sent.add(new Sent(String.valueOf(args[0]), List.of()));
            }
            return result;
        });
    }

    private static <T> T proxy(Class<T> type, T real, After after) {
        InvocationHandler handler = (self, method, args) -> {
            try {
                return after.call(method, args == null ? new Object[0] : args, method.invoke(real, args));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @FunctionalInterface
    private interface After {
        @Nullable
        Object call(Method method, Object[] args, @Nullable Object result);
    }
}
