package dev.tiebreak.app.report;

import dev.tiebreak.app.Terminal;
import dev.tiebreak.app.bench.Sale;
import dev.tiebreak.app.bench.Sale.Outcome;
import dev.tiebreak.app.bench.Strategy;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** A sale's result for people and machines. */
public final class SaleText {
    private final Sale sale;
    private final List<Outcome> outcomes;
    private final String server;

    /** The outcomes of a sale on that server, in the order to show. */
    public SaleText(Sale sale, List<Outcome> outcomes, String server) {
        this.sale = sale;
        this.outcomes = outcomes;
        this.server = server;
    }

    /** Whether every cure was exact; if only the control ran, whether that was. */
    public boolean isExact() {
        List<Outcome> cures = cures();
        return (cures.isEmpty() ? outcomes : cures).stream().allMatch(Outcome::exact);
    }

    /** The verdict line first, then the table, then why and what next. */
    public void print(Terminal terminal) {
        PrintWriter out = terminal.out();
        out.println(terminal.verdict(isExact(), isExact() ? "EXACT" : "INEXACT") + "  " + verdict());
        out.println();
        Grid grid = Grid.of(
                        "strategy",
                        "loser",
                        "sold",
                        "left",
                        "sold out",
                        "busy",
                        "errors",
                        "attempts (max)",
                        "worst wait",
                        "verdict")
                .left(1, 9);
        for (Outcome o : outcomes) {
            grid.row(
                    o.strategy().word(),
                    o.strategy().loser(),
                    Numbers.whole(o.sold()),
                    Numbers.whole(o.left()),
                    Numbers.whole(o.soldOut()),
                    Numbers.whole(o.busy()),
                    Numbers.whole(o.errors()),
                    Numbers.whole(o.maxAttempts()),
                    Numbers.millis(o.worstMillis()),
                    verdict(o));
        }
        out.print(grid.text());
        out.println();
        out.println(Numbers.whole(sale.buyers()) + " buyers at the same moment, " + Numbers.whole(sale.units())
                + " units, " + sale.connections() + " connections, at most " + sale.attempts() + " attempts. " + server
                + ".");
        errors(out);
        why(out);
        next(out);
        out.flush();
    }

    private String verdict() {
        List<Outcome> cures = cures();
        List<Outcome> exact = cures.stream().filter(Outcome::exact).toList();
        List<String> parts = new ArrayList<>();
        if (!cures.isEmpty()) {
            parts.add(exact.size() + " of " + cures.size() + " cures sold " + Numbers.whole(sellable()) + " of "
                    + Numbers.whole(sale.units()));
        }
        if (exact.size() < cures.size()) {
            parts.add(cures.stream()
                    .filter(o -> !o.exact())
                    .map(o -> o.strategy().word() + ": " + verdict(o))
                    .collect(Collectors.joining(", ")));
        }
        control()
                .ifPresent(naive -> parts.add("the code most people write sold " + Numbers.whole(naive.sold())
                        + (naive.exact() ? ", this time" : "")));
        return String.join("; ", parts);
    }

    private String verdict(Outcome o) {
        if (o.exact()) {
            return "exact";
        }
        List<String> wrong = new ArrayList<>();
        if (o.sold() > sellable()) {
            wrong.add("OVERSOLD by " + Numbers.whole(o.sold() - sellable()));
        } else if (o.sold() < sellable()) {
            wrong.add("UNDERSOLD by " + Numbers.whole(sellable() - o.sold()));
        }
        if (o.left() + o.sold() != sale.units()) {
            wrong.add("shelf and sales differ");
        }
        if (o.busy() > 0) {
            wrong.add(Numbers.whole(o.busy()) + " busy");
        }
        if (o.errors() > 0) {
            wrong.add(Numbers.whole(o.errors()) + " errors");
        }
        return String.join(", ", wrong);
    }

    private void errors(PrintWriter out) {
        for (Outcome o : outcomes) {
            o.firstError()
                    .ifPresent(error -> out.println(o.strategy().word() + ": the first error: "
                            + error.lines().findFirst().orElse("")));
        }
    }

    private void why(PrintWriter out) {
        control().ifPresent(naive -> {
            if (!naive.exact()) {
                out.println();
                out.println(
                        "why   naive reads the count, decides, and writes back what it computed. All who read the same");
                out.println("      count sell the same unit, and each overwrites the others' sales.");
            } else {
                out.println();
                out.println(
                        "why   naive was lucky: no two buyers read the same count. More buyers than connections find it.");
            }
        });
        if (outcomes.stream().anyMatch(o -> o.strategy().isCure() && o.busy() > 0)) {
            out.println();
            out.println(
                    "busy  a buyer whose attempts were spent while others kept winning: it starved. Allow more attempts,");
            out.println("      or let buyers wait or queue.");
        }
    }

    private static void next(PrintWriter out) {
        out.println();
        out.println(
                "next  tiebreak bench                        what each cure carries on one hot key and on a thousand");
        out.println("      tiebreak plan --demand 100000/60s     which one your demand needs");
        out.println("      tiebreak sale --attempts 4            who starves when a retry gives up early");
    }

    /** As documented for machines. */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("buyers", sale.buyers());
        json.put("units", sale.units());
        json.put("strategies", outcomes.stream().map(SaleText::json).toList());
        return json;
    }

    private static Map<String, Object> json(Outcome o) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("strategy", o.strategy().word());
        json.put("sold", o.sold());
        json.put("left", o.left());
        json.put("soldOut", o.soldOut());
        json.put("busy", o.busy());
        json.put("errors", o.errors());
        json.put("maxAttempts", o.maxAttempts());
        json.put("exact", o.exact());
        return json;
    }

    private List<Outcome> cures() {
        return outcomes.stream().filter(o -> o.strategy().isCure()).toList();
    }

    private Optional<Outcome> control() {
        return outcomes.stream().filter(o -> o.strategy() == Strategy.NAIVE).findFirst();
    }

    private int sellable() {
        return Math.min(sale.buyers(), sale.units());
    }
}
