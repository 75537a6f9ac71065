package dev.tiebreak.app;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The address of a PostgreSQL server as people write it, as JDBC takes it.
 *
 * <p>Taken are {@code jdbc:postgresql://host:port/database?user=…} and libpq's {@code postgresql://user:password@host/db}.
 * User and password come from the URL, else from {@code PGUSER} and {@code PGPASSWORD}, else from what the driver knows
 * ({@code .pgpass}, the system's user).
 *
 * @param jdbc the JDBC URL without user and password
 * @param user the role, or null for the driver's default
 * @param password the password, or null
 * @param host one host, or several with commas
 * @param port their ports
 * @param database the database's name
 */
record ServerUrl(
        String jdbc, @Nullable String user, @Nullable String password, String host, String port, String database) {
    private static final String SHAPE = "expected jdbc:postgresql://HOST:PORT/DATABASE?user=…&password=…";

    static ServerUrl parse(String text, Map<String, String> env) {
        String url = text.strip();
        String user = null;
        String password = null;
        if (url.startsWith("postgresql://") || url.startsWith("postgres://")) {
            URI uri = uri(url, text);
            String[] userInfo = String.valueOf(uri.getRawUserInfo()).split(":", 2);
            if (uri.getRawUserInfo() != null) {
                user = decoded(userInfo[0]);
                password = userInfo.length > 1 ? decoded(userInfo[1]) : null;
            }
            url = "jdbc:postgresql://" + url.substring(url.indexOf("://") + 3).replaceFirst("^[^/@]*@", "");
        }
        if (!url.startsWith("jdbc:postgresql:")) {
            throw new Complaint("not a PostgreSQL URL: \"" + masked(text) + "\"; " + SHAPE);
        }
        PGSimpleDataSource parsed = new PGSimpleDataSource();
        try {
            parsed.setUrl(url);
        } catch (IllegalArgumentException e) {
            throw new Complaint("cannot read the URL \"" + masked(text) + "\"; " + SHAPE, e);
        }
        String database = parsed.getDatabaseName();
        return new ServerUrl(
                withoutLogin(url),
                first(parsed.getUser(), user, env.get("PGUSER")),
                first(parsed.getPassword(), password, env.get("PGPASSWORD")),
                String.join(",", parsed.getServerNames()),
                Arrays.stream(parsed.getPortNumbers())
                        .mapToObj(port -> String.valueOf(port == 0 ? 5432 : port))
                        .collect(Collectors.joining(",")),
                database == null ? "" : database);
    }

    private static @Nullable String first(@Nullable String... values) {
        for (String value : values) {
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    /** Host, port and database, for messages. */
    String where() {
        return host + ":" + port + "/" + database;
    }

    /** The URL as it may be printed: without its password. */
    static String masked(String text) {
        return text.replaceAll("(password=)[^&]*", "$1***").replaceAll("(://[^:/@]*):[^@/]*@", "$1:***@");
    }

    private static URI uri(String url, String text) {
        try {
            return URI.create(url);
        } catch (IllegalArgumentException e) {
            throw new Complaint("cannot read the URL \"" + masked(text) + "\"; " + SHAPE, e);
        }
    }

    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static String withoutLogin(String url) {
        int question = url.indexOf('?');
        if (question < 0) {
            return url;
        }
        StringBuilder kept = new StringBuilder(url.substring(0, question));
        char separator = '?';
        for (String parameter : url.substring(question + 1).split("&", -1)) {
            if (!parameter.startsWith("user=") && !parameter.startsWith("password=")) {
                kept.append(separator).append(parameter);
                separator = '&';
            }
        }
        return kept.toString();
    }
}
