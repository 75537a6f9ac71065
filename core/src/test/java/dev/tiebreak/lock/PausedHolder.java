package dev.tiebreak.lock;

import dev.tiebreak.Lost;
import dev.tiebreak.Tx;
import dev.tiebreak.embedded.Server;
import dev.tiebreak.testing.Db;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** A process of its own that takes a lease, is frozen past its time by whoever started it, and then goes on as if it had it. */
final class PausedHolder {
    private PausedHolder() {}

    public static void main(String[] arguments) throws Exception {
        DataSource source = Server.dataSource(arguments[0]);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Lease lease = Leases.on(source)
                .lasting(Duration.ofMillis(600))
                .as("paused")
                .hold("report")
                .orRollback()
                .lease()) {
            System.out.println("held " + lease.token());
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                boolean fenced = order.equals("write fenced");
                try {
                    Tx.on(source).run(c -> {
                        if (fenced) {
                            lease.fence(c).orRollback();
                        }
                        Db.run(c, "UPDATE report SET author = 'paused'");
                    });
                    System.out.println("wrote");
                } catch (Lost e) {
                    System.out.println(e.outcome());
                }
            }
            System.out.println(lease.lost().get(10, TimeUnit.SECONDS));
        }
    }
}
