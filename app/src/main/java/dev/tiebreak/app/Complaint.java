package dev.tiebreak.app;

import dev.tiebreak.prove.SetupException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;

/** What was wrong and what to do about it, in one line: the end of a command that could not do its work (exit code 3). */
public final class Complaint extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The exit code of a command that ends with a complaint. */
    public static final int EXIT_CODE = 3;

    /** A complaint in one line. */
    public Complaint(String line) {
        this(line, null);
    }

    /** A complaint in one line, with what caused it for {@code --verbose}. */
    public Complaint(String line, @Nullable Throwable cause) {
        super(line.strip().replaceAll("\\s*\\R\\s*", " "), cause);
    }

    /** The complaint that a failure amounts to. */
    public static Complaint about(Throwable failure) {
        if (failure instanceof Complaint complaint) {
            return complaint;
        }
        String line = null;
        for (Throwable t = failure; t != null && line == null; t = t.getCause()) {
            line = switch (t) {
                case Complaint complaint -> complaint.getMessage();
                case SetupException setup -> setup.getMessage();
                case SQLException sql -> aboutDatabase(sql);
                case FileSystemException file -> aboutFile(file);
                default -> null;
            };
        }
        if (line == null && (failure instanceof UncheckedIOException || failure instanceof IOException)) {
            line = failure.getMessage() + because(failure);
        }
        if (line == null) {
            line = "this is a fault of tiebreak: " + failure + "; run again with --verbose and report the stack trace";
        }
        return new Complaint(line, failure);
    }

    private static @Nullable String aboutDatabase(SQLException e) {
        String says = e instanceof PSQLException p && p.getServerErrorMessage() != null
                ? String.valueOf(p.getServerErrorMessage().getMessage())
                : String.valueOf(e.getMessage());
        String state = e.getSQLState();
        if (state == null) {
            return null; // a pool's time-out; its cause says more
        }
        return switch (state) {
            case "08001", "08006", "08000", "08003" -> unreachable(e, says);
            case "08004", "28000", "28P01" ->
                "the server refused the login: " + says
                        + "; give user and password in the URL (?user=…&password=…) or in PGUSER and PGPASSWORD";
            case "3D000" -> says + "; create it or correct the name in the URL";
            case "42P01", "3F000" ->
                says + "; create it first, or correct its name (names are taken as PostgreSQL stores them)";
            case "42703" -> says + "; correct the column's name, or add the column";
            case "42501" -> says + "; grant the role that right, or give a --url with a role that has it";
            case "25006" -> "the server takes no writes (" + says + "); give the --url of the primary";
            case "53300" -> "the server has no connection left (" + says + "); ask for fewer, or raise max_connections";
            case "57P01", "57P02", "57P03" -> "the server is going down or coming up (" + says + "); try again";
            default -> "PostgreSQL refused (SQLSTATE " + state + "): " + says + "; --verbose shows where";
        };
    }

    private static String unreachable(SQLException e, String says) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            switch (t) {
                case UnknownHostException host -> {
                    return "the host " + host.getMessage() + " is not known; correct it in the URL";
                }
                case ConnectException refused -> {
                    return "no server answers: " + says.replaceFirst(" Check that .*", "")
                            + " Start it, or correct host and port in the URL; without --url an embedded PostgreSQL is used";
                }
                case SocketTimeoutException timeout -> {
                    return "no server answers in time; correct host and port in the URL, or look at the firewall";
                }
                default -> {}
            }
        }
        return "the connection to the server broke (" + says + "); look at the server's log and try again";
    }

    private static String aboutFile(FileSystemException e) {
        return switch (e) {
            case NoSuchFileException missing -> "there is no " + missing.getFile() + "; correct the path";
            case AccessDeniedException denied ->
                "no right to use " + denied.getFile() + "; correct the path or its rights";
            default ->
                "cannot use " + e.getFile() + (e.getReason() == null ? "" : ": " + e.getReason())
                        + "; correct the path";
        };
    }

    private static String because(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause == null || cause.getMessage() == null ? "" : ": " + cause.getMessage();
    }
}
