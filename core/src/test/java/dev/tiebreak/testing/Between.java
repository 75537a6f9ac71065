package dev.tiebreak.testing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.Callable;

/** Lets another session act between two statements of one call: the interleaving that load hits once in a million. */
public final class Between {
    private Between() {}

    /** The same connection, which does the other session's act before it prepares a statement that begins like this. */
    public static Connection before(Connection connection, String beginning, Callable<?> act) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")
                            && arguments[0].toString().startsWith(beginning)) {
                        act.call();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
