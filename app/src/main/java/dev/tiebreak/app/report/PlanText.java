package dev.tiebreak.app.report;

import dev.tiebreak.app.Terminal;
import dev.tiebreak.app.bench.Plan;
import dev.tiebreak.app.bench.Row;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A plan for people and machines. */
public final class PlanText {
    private final Plan plan;
    private final String source;

    /** The plan, and where its figures come from. */
    public PlanText(Plan plan, String source) {
        this.plan = plan;
        this.source = source;
    }

    /** Whether a strategy carries the demand. */
    public boolean isCarried() {
        return plan.choice().isPresent();
    }

    /** The verdict line first, then each strategy's room, then the reason. */
    public void print(Terminal terminal) {
        PrintWriter out = terminal.out();
        out.println(terminal.verdict(isCarried(), isCarried() ? "USE" : "NONE") + "  " + recommendation());
        out.println();
        Grid grid = Grid.of("strategy", "callers", "takes/s", "slowest repeat", "head-room", "p99", "verdict")
                .left(6);
        for (Row row : plan.rows()) {
            grid.row(
                    row.strategy(),
                    Numbers.whole(row.clients()),
                    Numbers.whole(row.takesPerSecond()),
                    Numbers.whole(row.min()),
                    Numbers.times(plan.room(row)),
                    Numbers.millis(row.p99()),
                    verdict(row));
        }
        out.print(grid.text());
        out.println();
        out.println("why   " + reason());
        out.println("demand  " + Numbers.decimals(plan.demand().perSecond()) + " takes/s on "
                + (plan.keys() == 1 ? "one hot key" : Numbers.whole(plan.keys()) + " keys") + "; " + source
                + ". Head-room is"
                + " the slowest repeat over the demand; below " + Numbers.times(Plan.ROOM) + " a busy moment queues.");
        out.flush();
    }

    private String recommendation() {
        return plan.choice()
                .map(row -> row.strategy() + " carries " + Numbers.whole(row.takesPerSecond()) + " takes/s here, "
                        + Numbers.times(plan.room(row)) + " the demand of "
                        + Numbers.whole(plan.demand().perSecond())
                        + (plan.room(row) < Plan.ROOM ? "; that is tight" : ""))
                .orElseGet(() -> "no strategy carried "
                        + Numbers.whole(plan.demand().perSecond()) + " takes/s here; the most was "
                        + plan.rows().get(0).strategy() + " with "
                        + Numbers.whole(plan.rows().get(0).takesPerSecond()));
    }

    private String reason() {
        @Nullable Row choice = plan.choice().orElse(null);
        if (choice == null) {
            return plan.keys() == 1
                    ? "one row is one queue: sell from several keys, or let fewer ask (a waiting room before the database)."
                    : "the machine is the limit, not the race: a faster disk or more cores carry every strategy further.";
        }
        return switch (choice.strategy()) {
            case "conditional" -> "the simplest one is enough: one statement, no retry, no thread of its own.";
            case "batching" ->
                "one commit for all who wait: it goes faster the more callers there are, and the conditional"
                        + " update commits once a take. Its takes commit by themselves, not in your transaction.";
            case "units" -> "nobody waits: each takes another row. It needs one row a unit.";
            case "split" -> "takers of different shards do not wait for each other; the last units cost more.";
            default ->
                "the simplest of those with room enough; the conditional update has "
                        + plan.rows().stream()
                                .filter(row -> row.strategy().equals("conditional"))
                                .findFirst()
                                .map(row -> Numbers.times(plan.room(row)) + ".")
                                .orElse("not been measured.");
        };
    }

    private String verdict(Row row) {
        double room = plan.room(row);
        return room >= Plan.ROOM ? "enough" : room >= 1 ? "tight" : "too slow";
    }

    /** The demand, the choice or null, and every strategy's head-room. */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("demand_per_s", plan.demand().perSecond());
        json.put("keys", plan.keys());
        json.put("recommended", plan.choice().map(Row::strategy).orElse(null));
        List<Map<String, Object>> strategies = new ArrayList<>();
        for (Row row : plan.rows()) {
            Map<String, Object> strategy = new LinkedHashMap<>();
            strategy.put("strategy", row.strategy());
            strategy.put("clients", row.clients());
            strategy.put("takes_per_s", row.takesPerSecond());
            strategy.put("head_room", plan.room(row));
            strategy.put("verdict", verdict(row));
            strategies.add(strategy);
        }
        json.put("strategies", strategies);
        return json;
    }
}
