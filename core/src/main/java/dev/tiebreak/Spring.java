package dev.tiebreak;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What Spring's transactions have bound to the current thread, if Spring is there at all; reached by name, since this
 * library does not depend on it.
 */
final class Spring {
    private static final String MANAGER = "org.springframework.transaction.support.TransactionSynchronizationManager";
    private static final String AWARE = "org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy";

    private static final @Nullable MethodHandle RESOURCES = resources();

    private Spring() {}

    private static @Nullable MethodHandle resources() {
        try {
            Class<?> manager = Class.forName(MANAGER, false, Spring.class.getClassLoader());
            return MethodHandles.publicLookup().findStatic(manager, "getResourceMap", MethodType.methodType(Map.class));
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }

    /** Whether a transaction (or a session) of Spring's holds a connection of this source on the current thread. */
    static boolean holds(DataSource source) {
        return bound().containsKey(source);
    }

    /** Whether a transaction (or a session) of Spring's holds any source's connection on the current thread. */
    static boolean holdsAny() {
        for (Object resource : bound().keySet()) {
            if (resource instanceof DataSource) {
                return true;
            }
        }
        return false;
    }

    private static Map<?, ?> bound() {
        if (RESOURCES == null) {
            return Map.of();
        }
        try {
            return (Map<?, ?>) RESOURCES.invokeExact();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether the source, or what it wraps, hands out the connection of a surrounding transaction. */
    static boolean isTransactionAware(DataSource source) {
        if (isNamedSo(source.getClass())) {
            return true;
        }
        try {
            return source.isWrapperFor(
                    Class.forName(AWARE, false, source.getClass().getClassLoader()));
        } catch (ClassNotFoundException | LinkageError | SQLException e) {
            return false;
        }
    }

    /** The same, told from a connection, for a source that hides what it wraps. */
    static boolean isTransactionAware(Connection connection) {
        Class<?> type = connection.getClass();
        return Proxy.isProxyClass(type)
                && isNamedSo(Proxy.getInvocationHandler(connection).getClass());
    }

    private static boolean isNamedSo(Class<?> leaf) {
        for (Class<?> type = leaf; type != null; type = type.getSuperclass()) {
            if (type.getName().contains("TransactionAware")) {
                return true;
            }
        }
        return false;
    }
}
