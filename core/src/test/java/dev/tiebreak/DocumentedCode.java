package dev.tiebreak;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.hibernate.Session;
import org.jooq.DSLContext;

/** What the examples of the documentation take as given; {@link DocumentedCodeTest} compiles each as a subclass. */
@SuppressWarnings("unused")
abstract class DocumentedCode {
    record Order(UUID id) {}

    record Receipt(UUID id) {}

    /** A race, in the shape of all of them. */
    interface Race {
        Outcome take(Connection c, Key key, int n) throws SQLException;
    }

    interface Outcome {
        Receipt orRollback();
    }

    interface Orders {
        Receipt insert(Connection c, Order order) throws SQLException;

        boolean contains(Connection c, UUID id) throws SQLException;
    }

    interface Service {
        void transfer(long from, long to, long amount) throws IOException;
    }

    interface Json {
        String writeValueAsString(Object value);

        <T> T readValue(String text, Class<T> type);
    }

    static final Table STOCK = Table.of("shop", "stock").keyedBy("item_id");
    final Key key = STOCK.key("item_id", 7L);
    final Order order = new Order(new UUID(0, 1));
    final DataSource dataSource;
    final Tx tx;
    final Race tea;
    final Orders orders;
    final Service service;
    final Json json;
    final DSLContext dsl;
    final Session session;
    final long from = 1;
    final long to = 2;
    final long amount = 3;

    DocumentedCode(
            DataSource dataSource,
            Race tea,
            Orders orders,
            Service service,
            Json json,
            DSLContext dsl,
            Session session) {
        this.dataSource = dataSource;
        this.tx = Tx.on(dataSource);
        this.tea = tea;
        this.orders = orders;
        this.service = service;
        this.json = json;
        this.dsl = dsl;
        this.session = session;
    }

    static Map<String, Integer> answer(int status, Object body) {
        return Map.of(body.toString(), status);
    }
}
