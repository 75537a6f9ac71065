package dev.tiebreak.prove.picture;

/**
 * Shows a {@link Trace} to people. The text is for terminals and test failures, the HTML for everybody else: one file with
 * nothing to fetch, light or dark as the reader's system is, made for phone and paper too.
 */
public final class Picture {
    /** The width of {@link #text(Trace)} in columns. */
    public static final int WIDTH = 120;

    private Picture() {}

    /** The picture as lines of at most {@value #WIDTH} columns; the verdict line may be longer. */
    public static String text(Trace trace) {
        return text(trace, WIDTH);
    }

    /**
     * The picture as lines of text, without a line end after the last.
     *
     * @param width how many columns there are; at least 40
     */
    public static String text(Trace trace, int width) {
        if (width < 40) {
            throw new IllegalArgumentException("a picture needs 40 columns, not " + width);
        }
        return new TextPicture(trace, width).draw();
    }

    /** The picture as a whole HTML file in UTF-8. */
    public static String html(Trace trace) {
        return new HtmlPicture(trace).draw();
    }
}
