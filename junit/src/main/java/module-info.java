/** Race tests for JUnit. */
module dev.tiebreak.junit {
    requires static transitive org.jspecify;
    requires transitive dev.tiebreak.prove;
    requires transitive org.junit.jupiter.api;

    exports dev.tiebreak.junit;
}
