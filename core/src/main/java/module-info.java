/** Every kind of race on PostgreSQL is one type; what became of the loser is a value. */
module dev.tiebreak.core {
    requires static transitive org.jspecify;
    requires static org.postgresql.jdbc;
    requires transitive java.sql;

    exports dev.tiebreak;
    exports dev.tiebreak.row;
    exports dev.tiebreak.stock;
}
