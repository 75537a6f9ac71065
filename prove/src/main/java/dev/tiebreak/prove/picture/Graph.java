package dev.tiebreak.prove.picture;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Draws the edges of a reason as a small SVG: a circle a session, a numbered arrow an edge. */
final class Graph {
    private static final int RADIUS = 34;
    private static final int WIDTH = 420;

    private final List<String> sessions;
    private final List<Edge> edges;
    private final String title;
    private final int height;

    Graph(List<String> sessions, List<Edge> edges, Function<Edge, String> words) {
        this.sessions = sessions.stream()
                .filter(s -> edges.stream().anyMatch(e -> e.from().equals(s) || e.to().equals(s)))
                .toList();
        this.edges = edges;
        this.title = edges.stream().map(words).collect(Collectors.joining(", "));
        this.height = this.sessions.size() <= 2 ? 190 : 320;
    }

    String draw() {
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg class=\"graph\" viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"graph-title\">%n"
                        + "<title id=\"graph-title\">%s</title>%n"
                        + "<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\""
                        + " markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0 10 5 0 10z\"/></marker></defs>%n",
                WIDTH,
                height,
                Html.escape(title)));
        for (int i = 0; i < edges.size(); i++) {
            svg.append(arrow(edges.get(i), i));
        }
        for (int i = 0; i < sessions.size(); i++) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<g class=\"node\"><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/>"
                            + "<text x=\"%.1f\" y=\"%.1f\">%s</text></g>%n",
                    x(i),
                    y(i),
                    RADIUS,
                    x(i),
                    y(i) + 5,
                    Html.escape(sessions.get(i))));
        }
        return svg.append("</svg>\n").toString();
    }

    /** A curve that bends to the left of its direction, so that the two of a pair do not meet. */
    private String arrow(Edge edge, int index) {
        int from = sessions.indexOf(edge.from());
        int to = sessions.indexOf(edge.to());
        double dx = x(to) - x(from);
        double dy = y(to) - y(from);
        double length = Math.hypot(dx, dy);
        double ux = dx / length;
        double uy = dy / length;
        double bend = 46 + 26 * earlierTwins(edge, index);
        double cx = (x(from) + x(to)) / 2 + uy * bend * 1.6;
        double cy = (y(from) + y(to)) / 2 - ux * bend * 1.6;
        double[] start = rim(x(from), y(from), cx, cy, 2);
        double[] end = rim(x(to), y(to), cx, cy, 5);
        double bx = start[0] / 4 + cx / 2 + end[0] / 4;
        double by = start[1] / 4 + cy / 2 + end[1] / 4;
        return String.format(
                        Locale.ROOT,
                        "<path class=\"edge\" d=\"M%.1f %.1f Q%.1f %.1f %.1f %.1f\" marker-end=\"url(#arrow)\"/>%n"
                                + "<g class=\"number\"><circle cx=\"%.1f\" cy=\"%.1f\" r=\"12\"/>"
                                + "<text x=\"%.1f\" y=\"%.1f\">%d</text></g>%n",
                        start[0],
                        start[1],
                        cx,
                        cy,
                        end[0],
                        end[1],
                        bx,
                        by,
                        bx,
                        by + 4.5,
                        index + 1)
                + (sessions.size() == 2 ? label(edge, bx, by + (by < height / 2.0 ? -20 : 28)) : "");
    }

    /** With two sessions there is room for a few words above or below the arrow. */
    private static String label(Edge edge, double x, double y) {
        return String.format(
                Locale.ROOT,
                "<text class=\"label\" x=\"%.1f\" y=\"%.1f\">%s</text>%n",
                x,
                y,
                Html.escape(edge.label()));
    }

    private static double[] rim(double x, double y, double towardsX, double towardsY, int gap) {
        double length = Math.hypot(towardsX - x, towardsY - y);
        double far = RADIUS + gap;
        return new double[] {x + (towardsX - x) / length * far, y + (towardsY - y) / length * far};
    }

    private int earlierTwins(Edge edge, int index) {
        return (int) edges.subList(0, index).stream()
                .filter(e -> e.from().equals(edge.from()) && e.to().equals(edge.to()))
                .count();
    }

    private double x(int session) {
        return WIDTH / 2.0 + (WIDTH / 2.0 - RADIUS - 40) * Math.cos(angle(session));
    }

    private double y(int session) {
        return height / 2.0 + (height / 2.0 - RADIUS - 12) * Math.sin(angle(session));
    }

    private double angle(int session) {
        double first = sessions.size() == 2 ? Math.PI : -Math.PI / 2;
        return first + 2 * Math.PI * session / sessions.size();
    }
}
