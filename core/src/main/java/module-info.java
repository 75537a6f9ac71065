/** Every kind of race on PostgreSQL is one type; what became of the loser is a value. */
module dev.tiebreak.core {
    requires static transitive org.jspecify;
    requires static org.postgresql.jdbc;
    requires java.management;
    requires transitive java.sql;

    exports dev.tiebreak;
    exports dev.tiebreak.lock;
    exports dev.tiebreak.message;
    exports dev.tiebreak.row;
    exports dev.tiebreak.schema;
    exports dev.tiebreak.stock;
}
