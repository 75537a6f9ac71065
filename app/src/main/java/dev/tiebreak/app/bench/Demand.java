package dev.tiebreak.app.bench;

import dev.tiebreak.app.Complaint;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many takes a second are asked for.
 *
 * @param perSecond takes a second, more than 0
 */
public record Demand(double perSecond) {
    private static final Pattern SHAPE = Pattern.compile("([0-9][0-9_,.]*)\\s*/\\s*([0-9.]*)\\s*(ms|s|m|h)");

    /** Reads {@code 100000/60s}, {@code 500/s}, {@code 3000/m}. */
    public static Demand parse(String text) {
        Matcher matcher = SHAPE.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw wrong(text);
        }
        try {
            double takes = Double.parseDouble(matcher.group(1).replaceAll("[_,]", ""));
            double count = matcher.group(2).isEmpty() ? 1 : Double.parseDouble(matcher.group(2));
            double seconds = count
                    * switch (matcher.group(3)) {
                        case "ms" -> 0.001;
                        case "m" -> 60;
                        case "h" -> 3600;
                        default -> 1;
                    };
            if (takes > 0 && seconds > 0) {
                return new Demand(takes / seconds);
            }
        } catch (NumberFormatException e) {
            throw wrong(text);
        }
        throw wrong(text);
    }

    private static Complaint wrong(String text) {
        return new Complaint(
                "not a demand: \"" + text + "\"; give takes and time, such as 100000/60s, 500/s or 3000/m");
    }
}
