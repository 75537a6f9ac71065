package dev.tiebreak.prove.spec;

/**
 * A named piece of SQL that a session runs in one go.
 *
 * @param name unique in the file; of a copied session {@code s1#2.a1}
 * @param sql one or more statements, sent as one query
 * @param at where the step is declared
 */
public record Step(String name, Sql sql, Position at) {}
