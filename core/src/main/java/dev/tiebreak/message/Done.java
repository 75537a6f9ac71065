package dev.tiebreak.message;

/** The result of an effect that has nothing to say but that it was done; it takes no room in the receipt. */
public enum Done {
    /** It was. */
    DONE
}
