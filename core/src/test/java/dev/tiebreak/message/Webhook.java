package dev.tiebreak.message;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.tiebreak.Lost;
import dev.tiebreak.Tx;
import dev.tiebreak.message.Intake.Accept;
import dev.tiebreak.message.Intake.Claim;
import dev.tiebreak.message.Intake.GiveBack;
import dev.tiebreak.message.Intake.Task;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;

/** A webhook whose work is slow: the handler answers at once, and a worker does the work. */
final class Webhook implements HttpHandler {
    private final Tx tx;
    private final Intake<String> events;
    private final Function<Task, String> bank;

    Webhook(Tx tx, Intake<String> events, Function<Task, String> bank) {
        this.tx = tx;
        this.events = events;
        this.bank = bank;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String id = exchange.getRequestHeaders().getFirst("Event-Id"); // the sender's, the same in every attempt
            byte[] body = exchange.getRequestBody().readAllBytes();
            int status = id == null ? 400 : accept(Delivery.of(id, body));
            exchange.sendResponseHeaders(status, -1);
        }
    }

    private int accept(Delivery delivery) {
        return switch (tx.call(c -> events.accept(c, delivery))) {
            case Accept.Accepted<String> first -> 202;
            case Accept.Pending<String> again -> 202;
            case Accept.Duplicate<String> done -> 200;
            case Accept.Mismatch<String> other -> 422;
            case Accept.Busy<String> busy -> 503;
        };
    }

    /** One turn of a worker, of which any number may run on any number of servers; false if there was nothing to do. */
    boolean work() {
        if (!(tx.call(c -> events.claim(c)) instanceof Claim.Claimed<String> claimed)) {
            return false;
        }
        Task task = claimed.task();
        String charge;
        try {
            charge = bank.apply(task); // slow, outside, and in no transaction; the event's id is its idempotency key
        } catch (RuntimeException e) {
            Duration pause = Duration.ofSeconds(1L << Math.min(task.token(), 10));
            GiveBack unused = tx.call(c -> events.giveBack(c, task, pause));
            return true;
        }
        try {
            tx.run(c -> {
                events.finish(c, task, charge).orRollback(); // refused if another worker has claimed it since
                book(c, task.delivery().id(), charge);
            });
        } catch (Lost e) {
            // The lease was over and another worker has it: what this one did is not written.
        }
        return true;
    }

    private static void book(Connection c, String event, String charge) throws SQLException {
        try (PreparedStatement s = c.prepareStatement("INSERT INTO payment (event, charge) VALUES (?, ?)")) {
            s.setString(1, event);
            s.setString(2, charge);
            s.executeUpdate();
        }
    }
}
