package dev.tiebreak.app.report;

import java.util.Locale;

/** Numbers as people read them: grouped by thousands, three figures at least, SI units. */
public final class Numbers {
    private Numbers() {}

    /** Such as {@code 24,176}. */
    public static String whole(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** Rounded, such as {@code 24,176}. */
    public static String whole(double number) {
        return whole(Math.round(number));
    }

    /** Such as {@code 205×}, {@code 10.9×} or {@code 0.37×}. */
    public static String times(double ratio) {
        return decimals(ratio) + "×";
    }

    /** Such as {@code 0.42 ms}, {@code 21 ms} or {@code 1.20 s}. */
    public static String millis(double millis) {
        return millis >= 1000 ? decimals(millis / 1000) + " s" : decimals(millis) + " ms";
    }

    /** Two decimals below 10, one below 100, none from there on; a plain 0 for nothing. */
    public static String decimals(double number) {
        if (number == 0) {
            return "0";
        }
        double size = Math.abs(number);
        return size < 9.995
                ? String.format(Locale.ROOT, "%.2f", number)
                : size < 99.95 ? String.format(Locale.ROOT, "%.1f", number) : whole(number);
    }
}
