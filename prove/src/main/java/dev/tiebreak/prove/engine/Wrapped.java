package dev.tiebreak.prove.engine;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Wraps a connection and what it makes, so that everything that reaches the server waits for its turn first. */
final class Wrapped {
    private Wrapped() {}

    static Connection connection(Seat seat, Link link) {
        return proxy(Connection.class, new ConnectionHandler(seat, link));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** What all handlers share: calls that go straight through. */
    private abstract static class Handler<T> implements InvocationHandler {
        final T real;

        Handler(T real) {
            this.real = real;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args)
                throws Throwable {
            return switch (method.getName()) {
                case "equals" -> args != null && same(proxy, args[0]);
                case "hashCode" -> System.identityHashCode(proxy);
                case "toString" -> "race:" + real;
                case "unwrap" ->
                    args != null && args[0] instanceof Class<?> type && type.isInstance(proxy)
                            ? proxy
                            : through(method, args);
                case "isWrapperFor" ->
                    (args != null && args[0] instanceof Class<?> type && type.isInstance(proxy))
                            || Boolean.TRUE.equals(through(method, args));
                default -> call(proxy, method, args);
            };
        }

        abstract @Nullable Object call(Object proxy, Method method, @Nullable Object @Nullable [] args)
                throws Throwable;

        @SuppressWarnings("ReferenceEquality") // A connection is equal to itself alone.
        private static boolean same(Object proxy, @Nullable Object other) {
            return proxy == other;
        }

        final @Nullable Object through(Method method, @Nullable Object @Nullable [] args) throws Throwable {
            try {
                return method.invoke(real, args);
            } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
            }
        }

        /** The call as one operation of the race. */
        final @Nullable Object operation(
                Seat seat, Link link, String sql, String shown, Method method, @Nullable Object @Nullable [] args)
                throws SQLException {
            return seat.perform(link, sql, shown, answers -> {
                Object result = sqlCall(method, args);
                answer(result, sql, answers);
                return result;
            });
        }

        private @Nullable Object sqlCall(Method method, @Nullable Object @Nullable [] args) throws SQLException {
            try {
                return through(method, args);
            } catch (SQLException | RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new UndeclaredThrowableException(e);
            }
        }

        void answer(@Nullable Object result, String sql, List<Answer> answers) throws SQLException {
            answers.add(new Answer.Done());
        }
    }

    private static final class ConnectionHandler extends Handler<Connection> {
        private final Seat seat;
        private final Link link;
        private boolean closed;

        ConnectionHandler(Seat seat, Link link) {
            super(link.connection());
            this.seat = seat;
            this.link = link;
        }

        @Override
        @Nullable
        Object call(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
            boolean open = link.phase() != Link.Phase.IDLE;
            return switch (method.getName()) {
                case "close" -> {
                    close(open);
                    yield null;
                }
                case "isClosed" -> closed || Boolean.TRUE.equals(through(method, args));
                case "commit" -> ends(open, "COMMIT", method, args);
                case "rollback" -> ends(open, args == null ? "ROLLBACK" : "ROLLBACK TO SAVEPOINT", method, args);
                case "setSavepoint" -> operation(seat, link, "SAVEPOINT s", "SAVEPOINT", method, args);
                case "releaseSavepoint" ->
                    operation(seat, link, "RELEASE SAVEPOINT s", "RELEASE SAVEPOINT", method, args);
                case "setAutoCommit" ->
                    ends(open && args != null && Boolean.TRUE.equals(args[0]), "COMMIT", method, args);
                case "setTransactionIsolation" -> {
                    Object result = through(method, args);
                    seat.level(args != null && args[0] instanceof Integer level ? level : 0);
                    yield result;
                }
                default -> wrapped(proxy, method, args);
            };
        }

        private @Nullable Object ends(
                boolean reachesServer, String sql, Method method, @Nullable Object @Nullable [] args) throws Throwable {
            return reachesServer ? operation(seat, link, sql, sql, method, args) : through(method, args);
        }

        private void close(boolean open) throws SQLException {
            if (!closed) {
                closed = true;
                if (open) {
                    seat.rollBack(link);
                }
                if (!real.getAutoCommit()) {
                    real.setAutoCommit(true);
                }
                seat.giveBack(link);
            }
        }

        private @Nullable Object wrapped(Object proxy, Method method, @Nullable Object @Nullable [] args)
                throws Throwable {
            if (closed) {
                throw new SQLException("This connection has been closed.", "08003");
            }
            Object made = through(method, args);
            String sql = args != null && args.length > 0 && args[0] instanceof String text ? text : "";
            if (made instanceof CallableStatement s) {
                return proxy(CallableStatement.class, new StatementHandler(seat, link, (Connection) proxy, s, sql));
            }
            if (made instanceof PreparedStatement s) {
                return proxy(PreparedStatement.class, new StatementHandler(seat, link, (Connection) proxy, s, sql));
            }
            if (made instanceof Statement s) {
                return proxy(Statement.class, new StatementHandler(seat, link, (Connection) proxy, s, ""));
            }
            return made;
        }
    }

    private static final class StatementHandler extends Handler<Statement> {
        private final Seat seat;
        private final Link link;
        private final Connection connection;
        private final String prepared;
        private final Map<Integer, @Nullable Object> values = new TreeMap<>();
        private final List<String> batch = new ArrayList<>();
        private Answer.@Nullable Rows rows;

        StatementHandler(Seat seat, Link link, Connection connection, Statement real, String prepared) {
            super(real);
            this.seat = seat;
            this.link = link;
            this.connection = connection;
            this.prepared = prepared;
        }

        @Override
        @Nullable
        Object call(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
            String name = method.getName();
            if (name.startsWith("execute")) {
                return execute(name, method, args);
            }
            switch (name) {
                case "getConnection" -> {
                    return connection;
                }
                case "getResultSet" -> {
                    return read(through(method, args));
                }
                case "addBatch" -> {
                    batch.add(args == null ? Shown.with(prepared, values) : String.valueOf(args[0]));
                }
                case "clearBatch" -> batch.clear();
                case "clearParameters" -> values.clear();
                default -> {
                    if (name.startsWith("set")
                            && args != null
                            && args.length >= 2
                            && args[0] instanceof Integer index) {
                        values.put(index, name.equals("setNull") ? null : args[1]);
                    }
                }
            }
            return through(method, args);
        }

        private @Nullable Object execute(String name, Method method, @Nullable Object @Nullable [] args)
                throws SQLException {
            String given = args != null && args.length > 0 && args[0] instanceof String text ? text : "";
            String sql = given.isEmpty() ? prepared : given;
            String shown = given.isEmpty() ? Shown.with(prepared, values) : given;
            if (name.endsWith("Batch")) {
                sql = prepared.isEmpty() ? String.join(";\n", batch) : prepared;
                shown = String.join("; ", batch);
                batch.clear();
            }
            Object result = operation(seat, link, sql, shown, method, args);
            return result instanceof ResultSet ? read(result) : result;
        }

        @Override
        void answer(@Nullable Object result, String sql, List<Answer> answers) throws SQLException {
            rows = null;
            if (result instanceof ResultSet r) {
                rows = rows(r, sql);
                answers.add(rows);
            } else if (result instanceof Number count) {
                answers.add(new Answer.Count(count.longValue()));
            } else if (result instanceof int[] counts) {
                for (int count : counts) {
                    answers.add(new Answer.Count(count));
                }
            } else if (Boolean.FALSE.equals(result)) {
                int count = real.getUpdateCount();
                answers.add(count < 0 ? new Answer.Done() : new Answer.Count(count));
            } else if (Boolean.TRUE.equals(result)) {
                rows = rows(null, sql);
                answers.add(rows);
            } else {
                answers.add(new Answer.Done());
            }
        }

        private static Answer.Rows rows(@Nullable ResultSet r, String sql) throws SQLException {
            List<String> columns = new ArrayList<>();
            if (r != null) {
                ResultSetMetaData meta = r.getMetaData();
                for (int i = 1; i <= meta.getColumnCount(); i++) {
                    columns.add(meta.getColumnLabel(i));
                }
            }
            List<List<Words.Word>> statements = Words.statements(sql);
            boolean ordered = !statements.isEmpty() && Words.ordered(statements.get(0));
            return new Answer.Rows(columns, new ArrayList<>(), ordered);
        }

        private @Nullable Object read(@Nullable Object result) throws SQLException {
            Answer.Rows into = rows;
            if (!(result instanceof ResultSet real) || into == null) {
                return result;
            }
            if (into.columns().isEmpty()) {
                into.columns().addAll(rows(real, "").columns());
            }
            return proxy(ResultSet.class, new ResultHandler(real, into));
        }
    }

    /** Notes the rows that the session's code walks over. */
    private static final class ResultHandler extends Handler<ResultSet> {
        private static final int MOST = 50;
        private final Answer.Rows into;

        ResultHandler(ResultSet real, Answer.Rows into) {
            super(real);
            this.into = into;
        }

        @Override
        @Nullable
        Object call(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
            Object result = through(method, args);
            if (method.getName().equals("next")
                    && Boolean.TRUE.equals(result)
                    && into.rows().size() < MOST) {
                List<@Nullable String> row = new ArrayList<>();
                for (int i = 1; i <= into.columns().size(); i++) {
                    row.add(real.getString(i));
                }
                into.rows().add(row);
            }
            return result;
        }
    }
}
