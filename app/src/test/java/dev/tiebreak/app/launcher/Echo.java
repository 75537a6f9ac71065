package dev.tiebreak.app.launcher;

/** Stands for the commands where only the launcher is tested: the main class of a tiny jar. */
public final class Echo {
    private Echo() {}

    /** Says that it ran, and with what. */
    public static void main(String[] args) {
        System.out.println(
                "ran " + String.join(" ", args) + " on " + Runtime.version().feature());
        System.exit(args.length);
    }
}
