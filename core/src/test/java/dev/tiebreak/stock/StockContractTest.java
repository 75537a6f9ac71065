package dev.tiebreak.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tiebreak.embedded.Server;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class StockContractTest {
    private static final Map<String, HikariDataSource> POOLS = new ConcurrentHashMap<>();

    static Stream<Arguments> cures() {
        return Stream.of(15, 18).flatMap(pg -> Stream.of(2, 48)
                .flatMap(size -> Stream.of(Cure.values()).map(cure -> Arguments.of(cure, pg, size))));
    }

    @ParameterizedTest(name = "{0} on PostgreSQL {1} with {2} connections")
    @MethodSource("cures")
    void take_amongRollbacksGiveBacksAndForeignWriters_sellsExactly(Cure cure, int pg, int connections)
            throws Exception {
        try (Shop shop = cure.shop(pool(pg, connections))) {
            new Contract(shop, connections == 2 ? 5 : 64, 3).sellsExactly(150, connections == 2 ? 40 : 8);
        }
    }

    @ParameterizedTest(name = "PostgreSQL {0}")
    @ValueSource(ints = {15, 18})
    void freeRows_amongRollbacksGiveBacksAndForeignWriters_sellExactly(int pg) throws Exception {
        try (Shop shop = new UnitShop(pool(pg, 48))) {
            new Contract(shop, 64, 1).sellsExactly(150, 8);
        }
    }

    @ParameterizedTest
    @EnumSource
    void brokenVariant_isCaughtByTheContract(Broken broken) {
        assertThatThrownBy(() -> {
                    for (int round = 0; round < 20; round++) {
                        try (Shop shop = broken.shop(pool(18, 48))) {
                            new Contract(shop, 64, 3).sellsExactly(150, 8);
                        }
                    }
                })
                .satisfiesAnyOf(e -> assertThat(e).isInstanceOf(AssertionError.class), e -> assertThat(e)
                        .hasCauseInstanceOf(AssertionError.class));
    }

    static Stream<Arguments> gates() {
        return Stream.of(15, 18).flatMap(pg -> Stream.of(1, 2).map(writers -> Arguments.of(pg, writers)));
    }

    @ParameterizedTest(name = "PostgreSQL {0}, {1} writers")
    @MethodSource("gates")
    void batchingWriter_amongRollbacksGiveBacksAndForeignWriters_sellsExactly(int pg, int writers) throws Exception {
        BatchingWriter.Options options = BatchingWriter.Options.standard().writers(writers);
        try (Shop shop = new GateShop(pool(pg, 8), options)) {
            new Contract(shop, 64, 3).sellsExactly(150, 20);
        }
    }

    static DataSource pool(int pg, int connections) {
        return POOLS.computeIfAbsent(pg + "/" + connections, name -> {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(Server.shared(pg).newDatabase());
            config.setMaximumPoolSize(connections);
            config.setConnectionTimeout(60_000);
            return new HikariDataSource(config);
        });
    }

    @AfterAll
    static void closePools() {
        POOLS.values().forEach(HikariDataSource::close);
        POOLS.clear();
    }
}
