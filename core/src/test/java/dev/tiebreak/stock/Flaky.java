package dev.tiebreak.stock;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A source of connections that can be told to have none, or to hand out always the same. */
final class Flaky {
    private final DataSource real;
    volatile @Nullable SQLException failWith;

    Flaky(DataSource real) {
        this.real = real;
    }

    DataSource asDataSource() {
        return proxy(() -> {
            SQLException failure = failWith;
            if (failure != null) {
                throw failure;
            }
            return real.getConnection();
        });
    }

    /** Closing it does nothing. */
    DataSource handingOut(Connection one) {
        Connection open = (Connection) Proxy.newProxyInstance(
                Flaky.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, args) -> method.getName().equals("close") ? null : call(method, one, args));
        return proxy(() -> open);
    }

    private static DataSource proxy(Source source) {
        return (DataSource) Proxy.newProxyInstance(
                Flaky.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (method.getName().equals("getConnection")) {
                        return source.connection();
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    private static Object call(java.lang.reflect.Method method, Object target, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private interface Source {
        Connection connection() throws SQLException;
    }
}
