/** Runs every interleaving of your transactions on a real PostgreSQL. */
module dev.tiebreak.prove {
    requires static transitive org.jspecify;
    requires static org.postgresql.jdbc;
    requires transitive java.sql;

    exports dev.tiebreak.prove;
}
