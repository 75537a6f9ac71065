package dev.tiebreak.message;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.tiebreak.Codec;
import dev.tiebreak.Tx;
import dev.tiebreak.schema.Schema;
import dev.tiebreak.testing.Db;
import dev.tiebreak.testing.Guide;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The guide's recipe, called over HTTP as a sender that repeats itself calls it. */
class WebhookTest {
    private final Db db = Db.on(18);
    private final Tx tx = Tx.on(db.source());
    private final Intake<String> events = Intake.of("bank", Codec.text());
    private final HttpClient client = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger charges = new AtomicInteger();
    private final CountDownLatch bankAsked = new CountDownLatch(1);
    private final CountDownLatch bankAnswers = new CountDownLatch(1);
    private final Webhook webhook = new Webhook(tx, events, task -> "charge " + charges.incrementAndGet());
    private final HttpServer server;

    WebhookTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @BeforeEach
    void start() throws SQLException {
        List<String> unused = Schema.standard().install(db.source());
        db.run("CREATE TABLE payment (event text, charge text)");
        server.createContext("/webhook", webhook);
        server.setExecutor(threads);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        threads.close();
        client.close();
    }

    private int post(String id, String body) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/webhook");
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString(body));
        if (!id.isEmpty()) {
            request.header("Event-Id", id);
        }
        return client.send(request.build(), BodyHandlers.discarding()).statusCode();
    }

    @Test
    void sameEventManyTimesAtOnce_isAnsweredAtOnceAndPaidOnce() throws Exception {
        List<Integer> answers = Db.together(12, () -> post("evt_1", "{}"));
        assertThat(answers).as("nobody has worked on it yet").containsOnly(202);

        assertThat(webhook.work()).isTrue();
        assertThat(webhook.work()).isFalse();
        assertThat(post("evt_1", "{}")).isEqualTo(200);
        assertThat(post("evt_1", "forged")).isEqualTo(422);
        assertThat(post("", "{}")).isEqualTo(400);
        assertThat(db.text("SELECT string_agg(event || ' ' || charge, ', ') FROM payment"))
                .isEqualTo("evt_1 charge 1");
    }

    @Test
    void bankIsSlow_handlerIsNot_andAWorkerPausedPastItsLeaseWritesNothing() throws Exception {
        Webhook slow = new Webhook(tx, events.lasting(Duration.ofMillis(50)), task -> {
            bankAsked.countDown();
            await(bankAnswers);
            return "late";
        });
        assertThat(post("evt_1", "{}")).isEqualTo(202);
        Future<Boolean> paused = threads.submit(slow::work);
        await(bankAsked);
        assertThat(post("evt_1", "{}")).as("while the bank is being asked").isEqualTo(202);

        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!webhook.work()) { // until the lease is over
            assertThat(System.nanoTime()).isLessThan(end);
        }
        assertThat(post("evt_1", "{}")).isEqualTo(200);
        bankAnswers.countDown();
        assertThat(paused.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(db.text("SELECT string_agg(event || ' ' || charge, ', ') FROM payment"))
                .isEqualTo("evt_1 charge 1");
    }

    @Test
    void bankFails_isTriedAgainLater() throws Exception {
        Webhook broken = new Webhook(tx, events, task -> {
            throw new IllegalStateException("no answer");
        });
        assertThat(post("evt_1", "{}")).isEqualTo(202);
        assertThat(broken.work()).isTrue();
        assertThat(webhook.work()).as("not at once").isFalse();
        db.run("UPDATE tiebreak.inbox SET until = until - interval '1 hour'");
        assertThat(webhook.work()).isTrue();
        assertThat(post("evt_1", "{}")).isEqualTo(200);
        assertThat(charges).hasValue(1);
    }

    @Test
    void guide_showsThisRecipe() throws IOException {
        String source = Files.readString(Path.of("src/test/java/dev/tiebreak/message/Webhook.java"));
        assertThat(Guide.block("inbox.md", "webhook"))
                .isEqualToIgnoringWhitespace(source.substring(source.indexOf("/** A webhook")));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
