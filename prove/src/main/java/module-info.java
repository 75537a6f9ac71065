/** Runs every interleaving of your transactions on a real PostgreSQL. */
module dev.tiebreak.prove {
    requires static transitive org.jspecify;
    requires static org.postgresql.jdbc;
    requires transitive java.sql;

    exports dev.tiebreak.prove;
    exports dev.tiebreak.prove.picture;
    exports dev.tiebreak.prove.spec;
    exports dev.tiebreak.prove.suite to
            org.postgresql.jdbc; // makes the sockets of pg-suite by name
}
