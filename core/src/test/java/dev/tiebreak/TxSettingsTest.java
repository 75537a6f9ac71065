package dev.tiebreak;

import static dev.tiebreak.Db.sql;
import static dev.tiebreak.Db.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Levels and modes: there in the body, gone from the pool's one connection afterwards. */
@ParameterizedClass
@ValueSource(booleans = {true, false})
class TxSettingsTest {
    private static final String MODE =
            "SELECT current_setting('transaction_isolation') || ', ' || current_setting('transaction_read_only')";

    private final boolean autoCommit;
    private final Db db = new Db(15, Db.Reach.PLAIN).with("CREATE TABLE t (id int PRIMARY KEY)");
    private final HikariDataSource pool;
    private final Tx tx;

    TxSettingsTest(boolean autoCommit) {
        this.autoCommit = autoCommit;
        pool = Db.pool(db.url, 1, autoCommit);
        tx = Tx.on(pool);
    }

    @AfterEach
    void close() throws SQLException {
        try (Connection c = pool.getConnection()) {
            assertThat(c.getAutoCommit()).isEqualTo(autoCommit);
            assertThat(c.isReadOnly()).isFalse();
            assertThat(text(c, MODE)).isEqualTo("read committed, off");
            assertThat(text(c, "SHOW default_transaction_isolation")).isEqualTo("read committed");
            assertThat(text(c, "SHOW default_transaction_read_only")).isEqualTo("off");
        }
        pool.close();
    }

    private static String mode(Tx tx) {
        return tx.call(c -> text(c, MODE));
    }

    @Test
    void levels_areThoseAskedFor() {
        assertThat(mode(tx)).isEqualTo("read committed, off");
        assertThat(mode(tx.repeatableRead())).isEqualTo("repeatable read, off");
        assertThat(mode(tx.serializable())).isEqualTo("serializable, off");
        assertThat(mode(tx.readOnly())).isEqualTo("read committed, on");
        assertThat(mode(tx.serializable().readOnly())).isEqualTo("serializable, on");
        assertThat(mode(tx.readOnly().repeatableRead())).isEqualTo("repeatable read, on");
    }

    @Test
    void readOnly_bodyWrites_isRefusedByTheServer() {
        assertThatThrownBy(() -> tx.readOnly().run(c -> sql(c, "INSERT INTO t VALUES (1)")))
                .isInstanceOfSatisfying(
                        TxException.Failed.class, e -> assertThat(e.sqlState()).isEqualTo("25006"));
    }

    @Test
    void bodyThrows_settingsArePutBack() {
        assertThatThrownBy(() -> tx.serializable().readOnly().run(c -> {
                    sql(c, "SELECT 1");
                    throw new IllegalStateException("no");
                }))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void serializationFailure_settingsArePutBack() {
        assertThatThrownBy(() -> tx.serializable()
                        .run(c -> sql(c, "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$")))
                .isInstanceOf(TxException.Conflict.class);
    }

    @Test
    void bodySetsLocals_theyEndWithTheTransaction() {
        tx.run(c -> sql(c, "SET LOCAL default_transaction_isolation = 'serializable'; SET TRANSACTION READ ONLY"));
    }

    @Test
    void defaultsOfTheDatabase_holdUnlessTold() {
        Tx own = Tx.on(Db.plain(db.url + "&options=-c%20default_transaction_isolation=serializable"));

        assertThat(mode(own)).isEqualTo("serializable, off");
        assertThat(mode(own.readCommitted())).isEqualTo("read committed, off");
    }
}
