package dev.tiebreak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlTextTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            COMMIT                                        | COMMIT
            commit;                                       | COMMIT
            CoMmIt AND CHAIN                              | COMMIT
            COMMIT PREPARED 'x'                           | COMMIT
            END                                           | END
            end work                                      | END
            ABORT                                         | ABORT
            ROLLBACK                                      | ROLLBACK
            ROLLBACK WORK AND NO CHAIN                    | ROLLBACK
            ROLLBACK;SELECT to                            | ROLLBACK
            PREPARE TRANSACTION 'x'                       | PREPARE TRANSACTION
            /* a /* nested */ one */ COMMIT               | COMMIT
            ;; COMMIT                                     | COMMIT
            SELECT 1; COMMIT                              | COMMIT
            SELECT 'it''s; here'; COMMIT                  | COMMIT
            SELECT E'\\'; x' ; ROLLBACK; SELECT 1         | ROLLBACK
            SELECT "a;b"; COMMIT                          | COMMIT
            SELECT $$ ; $$; COMMIT                        | COMMIT
            SELECT $x$ $$ ; $x$; COMMIT                   | COMMIT
            SELECT $1; COMMIT                             | COMMIT
            SELECT a$b$c; COMMIT; SELECT a$b$c            | COMMIT
            """)
    void endOfTransaction_textEndsIt_isNamed(String sql, String command) {
        assertThat(SqlText.endOfTransaction(sql)).isEqualTo(command);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";",
                "--",
                "/*",
                "SELECT 1",
                "SELECT 1;",
                "ROLLBACK TO s",
                "rollback to savepoint s",
                "ROLLBACK WORK TO SAVEPOINT s",
                "SELECT 1; ROLLBACK TO s; SELECT 2",
                "PREPARE p AS SELECT 1",
                "PREPARE transaction_list AS SELECT 1",
                "CALL commit_all()",
                "EXECUTE p",
                "ANALYZE t",
                "COMMITS",
                "-- COMMIT\nSELECT 1",
                "SELECT '; COMMIT'",
                "SELECT 1; SELECT '; COMMIT'",
                "SELECT E'\\'; COMMIT; '",
                "SELECT \"; COMMIT\"",
                "DO $$ BEGIN PERFORM 1; COMMIT; END $$",
                "DO $do$ BEGIN PERFORM 1; COMMIT; END $do$",
                "DO $$ BEGIN PERFORM 1; COMMIT; END",
                "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END",
                "SELECT 1; -- COMMIT",
                "SELECT 1 /* ; COMMIT */",
            })
    void endOfTransaction_textDoesNotEndIt_isEmpty(String sql) {
        assertThat(SqlText.endOfTransaction(sql)).isEmpty();
    }
}
