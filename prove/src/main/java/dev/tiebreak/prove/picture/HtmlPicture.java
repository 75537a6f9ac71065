package dev.tiebreak.prove.picture;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Draws one trace as an HTML file: a grid with a column a session and a row an event, over which bars show how long a
 * session waited and held locks; below it the reason as a graph, and what the run left behind.
 */
final class HtmlPicture {
    private static final int HUES = 5;

    private final Trace trace;
    private final List<Event> events;
    private final Html html = new Html();

    HtmlPicture(Trace trace) {
        this.trace = trace;
        this.events = trace.events();
    }

    String draw() {
        html.raw("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n")
                .raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .element("title", "", trace.word() + " · " + trace.race())
                .raw("<style>\n")
                .raw(style())
                .raw("</style></head>\n<body style=\"--lanes:")
                .raw(trace.sessions().size())
                .raw("\"><main>\n");
        head();
        lanes();
        reason();
        trace.end().forEach(this::end);
        fixes();
        return html.raw("</main></body></html>\n").toString();
    }

    private void head() {
        html.raw("<header>\n<p class=\"verdict\">")
                .element("b", trace.word().equals("VIOLATED") ? "bad" : "good", trace.word())
                .text(trace.counts())
                .raw("</p>\n")
                .element("h1", "", trace.race())
                .element("p", "why", trace.reason().sentence())
                .element(
                        "p",
                        "note",
                        "One run of " + trace.sessions().size()
                                + " sessions, each with a connection of its own, with as "
                                + "few switches between them as it takes (" + trace.switches()
                                + "). Read downwards: one statement a line, in the order in which the database ran them.")
                .raw("</header>\n");
    }

    private void lanes() {
        html.raw("<section class=\"lanes\" aria-label=\"The run, in the order of time\">\n");
        for (int i = 0; i < trace.sessions().size(); i++) {
            cell("name s" + hue(i), i + 2, "1");
            html.text(trace.sessions().get(i)).raw("</div>\n");
        }
        for (int i = 0; i < trace.sessions().size(); i++) {
            bars(i);
        }
        for (int i = 0; i < events.size(); i++) {
            event(i);
        }
        html.raw("</section>\n");
        boolean waits = events.stream().anyMatch(e -> e.kind() == Event.Kind.WAITS);
        boolean holds = events.stream().anyMatch(e -> !e.holds().isEmpty());
        if (waits || holds) {
            html.raw("<p class=\"key\">")
                    .raw(holds ? "<span><i class=\"bar holds\"></i> holds locks until it commits</span>" : "")
                    .raw(waits ? "<span><i class=\"bar waits\"></i> waits for another session</span>" : "")
                    .raw("</p>\n");
        }
    }

    /** The bars at the left edge of a lane. */
    private void bars(int lane) {
        String session = trace.sessions().get(lane);
        int heldSince = -1;
        for (int i = 0; i < events.size(); i++) {
            Event event = events.get(i);
            if (!event.session().equals(session)) {
                continue;
            }
            if (event.kind() == Event.Kind.WAITS) {
                bar(lane, "waits", i, endOfWait(i));
            } else if (event.holds().isEmpty()) {
                if (heldSince >= 0) {
                    bar(lane, "holds", heldSince, i);
                }
                heldSince = -1;
            } else if (heldSince < 0) {
                heldSince = i;
            }
        }
        if (heldSince >= 0) {
            bar(lane, "holds", heldSince, events.size() - 1);
        }
    }

    private int endOfWait(int start) {
        for (int i = start + 1; i < events.size(); i++) {
            if (events.get(i).session().equals(events.get(start).session())) {
                return i;
            }
        }
        return events.size() - 1;
    }

    private void bar(int lane, String kind, int from, int to) {
        cell("bar " + kind, lane + 2, from + 2 + "/" + (to + 3));
        html.raw("</div>\n");
    }

    /** Opens a box at a place of the grid. */
    private void cell(String className, int column, String rows) {
        html.raw("<div class=\"" + className + "\" style=\"grid-column:" + column + ";grid-row:" + rows + "\">");
    }

    private void event(int index) {
        Event event = events.get(index);
        int lane = trace.sessions().indexOf(event.session());
        boolean waits = event.kind() == Event.Kind.WAITS;
        cell("time", 1, String.valueOf(index + 2));
        html.raw(index + 1).raw("</div>\n");
        cell(
                "event s" + hue(lane) + (waits ? " waiting" : "") + (Words.failed(event) ? " failed" : ""),
                lane + 2,
                String.valueOf(index + 2));
        html.element("span", "who", event.session());
        if (event.kind() == Event.Kind.RESUMED) {
            html.raw("<span class=\"again\">")
                    .raw(Words.failed(event) ? "ends: " : "goes on: ")
                    .element("code", "", event.text())
                    .raw("</span>");
        } else {
            html.element("code", "", event.text());
        }
        if (waits) {
            html.element("span", "wait", Words.waits(event));
        }
        String answer = Words.answer(event.outcomes());
        if (!answer.isEmpty()) {
            html.element("span", "answer", answer);
        }
        event.values().forEach(value -> html.element("span", "value", "now visible: " + value));
        List<String> gained = waits ? List.of() : Words.gained(events, index);
        if (!gained.isEmpty()) {
            html.element("span", "lock", "holds " + String.join(", ", gained));
        }
        html.raw("</div>\n");
    }

    private void reason() {
        if (!trace.reason().edges().isEmpty()) {
            graph(
                    "Why no order fits",
                    trace.reason().edges(),
                    edge -> edge.from() + " before " + edge.to(),
                    "An arrow says which transaction must come first. Run one after another, in whatever order, they could "
                            + "not point in a circle; here they do.");
            return;
        }
        List<Edge> waits = Standoff.of(events);
        if (!waits.isEmpty()) {
            graph(
                    "Who waits for whom",
                    waits,
                    edge -> edge.from() + " waits for " + edge.to(),
                    "A circle of waits never ends by itself. The server notices after a while and ends one of them with an "
                            + "error, so that the others can go on.");
        }
    }

    private void graph(String title, List<Edge> edges, Function<Edge, String> head, String meaning) {
        html.raw("<section class=\"reason\">")
                .element("h2", "", title)
                .raw("\n<div class=\"both\">\n")
                .raw(new Graph(trace.sessions(), edges, head).draw())
                .raw("<div><ol>\n");
        for (Edge edge : edges) {
            html.raw("<li>")
                    .element("b", "", head.apply(edge))
                    .text(": " + edge.sentence() + ".")
                    .raw("</li>\n");
        }
        html.raw("</ol>\n").element("p", "", meaning).raw("</div></div></section>\n");
    }

    private void end(Table table) {
        boolean compared = !table.order().isEmpty() && !table.rows().equals(table.expected());
        html.raw("<section class=\"end\">")
                .element("h2", "", table.name() + " at the end")
                .raw("<div class=\"both\">\n");
        rows(caption(table), table.columns(), table.rows(), table.expected(), compared);
        if (compared) {
            rows("after " + table.order(), table.columns(), table.expected(), table.rows(), true);
        }
        html.raw("</div></section>\n");
    }

    private static String caption(Table table) {
        if (table.order().isEmpty()) {
            return "";
        }
        return table.rows().equals(table.expected()) ? "as after " + table.order() : "after this run";
    }

    private void rows(
            String caption,
            List<String> columns,
            List<List<Optional<String>>> rows,
            List<List<Optional<String>>> others,
            boolean compared) {
        html.raw("<div class=\"scroll\"><table>");
        if (!caption.isEmpty()) {
            html.element("caption", "", caption);
        }
        html.raw("<thead><tr>");
        columns.forEach(column -> html.element("th", "", column));
        html.raw("</tr></thead><tbody>\n");
        for (List<Optional<String>> row : rows) {
            html.raw(compared && !others.contains(row) ? "<tr class=\"differs\">" : "<tr>");
            row.forEach(value -> html.element("td", "", Words.value(value)));
            html.raw("</tr>\n");
        }
        if (rows.isEmpty()) {
            html.raw("<tr><td class=\"none\" colspan=\"" + columns.size() + "\">no row</td></tr>");
        }
        html.raw("</tbody></table></div>\n");
    }

    private void fixes() {
        if (!trace.fixes().isEmpty()) {
            html.raw("<section class=\"fixes\"><h2>Cures tried on this race, cheapest first</h2><ul>\n");
            trace.fixes().forEach(this::fix);
            html.raw("</ul></section>\n");
        }
        if (!trace.again().isEmpty()) {
            html.raw("<section class=\"command\"><h2>Run it again, step by step</h2>\n<pre>")
                    .element("code", "", trace.again())
                    .raw("</pre></section>\n");
        }
    }

    private void fix(String fix) {
        List<String> lines = fix.lines().toList();
        html.raw("<li>").text(lines.isEmpty() ? "" : lines.get(0));
        if (lines.size() > 1) {
            html.element("pre", "", String.join("\n", lines.subList(1, lines.size())));
        }
        html.raw("</li>\n");
    }

    private static int hue(int lane) {
        return lane % HUES;
    }

    private static String style() {
        try (InputStream in = HtmlPicture.class.getResourceAsStream("picture.css")) {
            if (in == null) {
                throw new IllegalStateException("picture.css is missing beside " + HtmlPicture.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("picture.css cannot be read", e);
        }
    }
}
