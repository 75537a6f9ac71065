/** A lock-free adaptive radix tree: an ordered concurrent map that needs the JDK alone. */
module dev.tiebreak.art {
    requires static transitive org.jspecify;

    exports dev.tiebreak.art;
}
