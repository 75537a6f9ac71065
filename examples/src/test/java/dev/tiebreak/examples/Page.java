package dev.tiebreak.examples;

import dev.tiebreak.Key;
import dev.tiebreak.Table;
import dev.tiebreak.Tx;
import dev.tiebreak.embedded.Server;
import dev.tiebreak.row.Claims;
import dev.tiebreak.row.IfMatch;
import dev.tiebreak.row.Versioned;
import dev.tiebreak.stock.Stock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;

/** What the code on a page may assume to be around it: a shop with tea in stock, and an HTTP layer that answers. */
public abstract class Page {
    private static String url = "";

    protected static final Table STOCK = Table.of("shop", "stock").keyedBy("item_id");
    protected static final Table SEAT = Table.of("shop", "seat").keyedBy("seat_id");

    protected final DataSource dataSource = Server.dataSource(url);
    protected final Tx tx = Tx.on(dataSource);
    protected final Stock stock = Stock.of(STOCK, "qty").named("tea sale");
    protected final Key tea = STOCK.key("item_id", 7);
    protected final long item = 7;
    protected final Order order = new Order(item);
    protected final Orders orders = new Orders();

    /** A board of jobs, a document of which version 3 was seen, and two accounts. */
    protected final long org = 4;

    protected final long id = 7;
    protected final long ravi = 1;
    protected final long sita = 2;
    protected final long seenVersion = 3;
    protected final String ifMatch = IfMatch.etag(seenVersion);
    protected final String title = "final";
    protected final Key key = Table.of("document").keyedBy("id").key("id", id);
    protected final Versioned documents = Versioned.of(key.table(), "version");
    protected final Key job =
            Table.of("assignment_claim").keyedBy("org_id", "assignment_id").key("org_id", org, "assignment_id", id);
    protected final Claims<Long> board = Claims.of(job.table(), "employee_id", Long.class, "version");
    protected final String eventId = "evt_1";
    protected final String body = "{}";
    protected final Key ana = Table.of("account").keyedBy("id").key("id", 1);
    protected final Key ben = Table.of("account").keyedBy("id").key("id", 2);

    /** A database of its own with 50 units of tea and ten seats. */
    static void prepare(Server server) throws SQLException {
        url = server.newDatabase();
        try (Connection c = Server.dataSource(url).getConnection();
                Statement s = c.createStatement()) {
            s.execute("""
                    CREATE SCHEMA shop;
                    CREATE TABLE shop.stock (
                        item_id bigint PRIMARY KEY, qty integer NOT NULL CONSTRAINT stock_qty_check CHECK (qty >= 0),
                        version bigint NOT NULL DEFAULT 0);
                    CREATE TABLE shop.orders (id bigserial PRIMARY KEY, item_id bigint NOT NULL);
                    CREATE TABLE shop.invoice (company_id bigint, no bigint, cents bigint, PRIMARY KEY (company_id, no));
                    CREATE TABLE assignment_claim (org_id bigint, assignment_id bigint, employee_id bigint NOT NULL,
                        version bigint NOT NULL, PRIMARY KEY (org_id, assignment_id));
                    CREATE TABLE document (id bigint PRIMARY KEY, title text, version bigint NOT NULL);
                    CREATE TABLE account (id bigint PRIMARY KEY, cents bigint NOT NULL);
                    CREATE TABLE transfer (from_id bigint, to_id bigint, cents bigint);
                    INSERT INTO document VALUES (7, 'draft', 3);
                    INSERT INTO account VALUES (1, 100000), (2, 0);
                    CREATE TABLE shop.seat (seat_id bigint PRIMARY KEY, owner text);
                    INSERT INTO shop.stock VALUES (7, 50, 0);
                    INSERT INTO shop.seat SELECT i, NULL FROM generate_series(1, 10) i""");
        }
    }

    /** The page's own code. */
    public abstract Object block() throws Exception;

    /** True; the compiler must not know it. */
    protected final boolean going() {
        return !url.isEmpty();
    }

    protected static long readQuantity(Connection c, long item) throws SQLException {
        try (PreparedStatement s = c.prepareStatement("SELECT qty FROM shop.stock WHERE item_id = ?")) {
            s.setLong(1, item);
            try (ResultSet rows = s.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    protected static void writeQuantity(Connection c, long item, long quantity) throws SQLException {
        try (PreparedStatement s = c.prepareStatement("UPDATE shop.stock SET qty = ? WHERE item_id = ?")) {
            s.setLong(1, quantity);
            s.setLong(2, item);
            s.executeUpdate();
        }
    }

    protected static void ok(Object answer) {}

    protected static void conflict(Object why) {}

    protected static void notFound(Object what) {}

    protected static void tryLater(Duration after) {}

    /** An order for an item. */
    public record Order(long item) {}

    /** The table of orders. */
    public static final class Orders {
        /** Inserts an order and returns its number. */
        public long insert(Connection c, Order order) throws SQLException {
            try (PreparedStatement s =
                    c.prepareStatement("INSERT INTO shop.orders (item_id) VALUES (?) RETURNING id")) {
                s.setLong(1, order.item());
                try (ResultSet rows = s.executeQuery()) {
                    rows.next();
                    return rows.getLong(1);
                }
            }
        }
    }
}
