package dev.tiebreak.benchmarks;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * A driver that keeps the state of a transaction and does nothing else: for measuring what surrounds the driver, never for
 * finding out whether it is right. Reflection makes each call dearer than a real driver's, so that what is measured is an
 * upper bound.
 */
final class IdleDriver {
    private boolean autoCommit = true;
    private TransactionState state = TransactionState.IDLE;
    private final PreparedStatement statement = proxy(PreparedStatement.class, this::statement);
    private final BaseConnection connection = proxy(BaseConnection.class, this::connection);

    private IdleDriver() {}

    private interface Answer {
        @Nullable
        Object to(Method method, Object[] arguments);
    }

    static DataSource source() {
        IdleDriver driver = new IdleDriver();
        return proxy(DataSource.class, (method, arguments) -> switch (method.getName()) {
            case "getConnection" -> driver.connection;
            case "isWrapperFor" -> false;
            case "hashCode" -> 1;
            default -> throw new UnsupportedOperationException(method.getName());
        });
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> answer.to(method, arguments)));
    }

    private @Nullable Object statement(Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "executeUpdate" -> {
                state = TransactionState.OPEN;
                yield 1;
            }
            case "close" -> null;
            default -> throw new UnsupportedOperationException(method.getName());
        };
    }

    private @Nullable Object connection(Method method, Object[] arguments) {
        switch (method.getName()) {
            case "setAutoCommit" -> autoCommit = (boolean) arguments[0];
            case "commit" -> state = TransactionState.IDLE;
            case "close" -> {}
            case "getAutoCommit" -> {
                return autoCommit;
            }
            case "getTransactionState" -> {
                return state;
            }
            case "isWrapperFor" -> {
                return arguments[0] == BaseConnection.class || arguments[0] == Connection.class;
            }
            case "unwrap" -> {
                return connection;
            }
            case "prepareStatement" -> {
                return statement;
            }
            default -> throw new UnsupportedOperationException(method.getName());
        }
        return null;
    }
}
