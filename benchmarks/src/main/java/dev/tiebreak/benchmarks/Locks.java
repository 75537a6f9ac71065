package dev.tiebreak.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.tiebreak.Tx;
import dev.tiebreak.embedded.Server;
import dev.tiebreak.lock.AdvisoryLock;
import dev.tiebreak.lock.Lease;
import dev.tiebreak.lock.Leases;
import dev.tiebreak.schema.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbc.JdbcLockProvider;
import org.redisson.api.RedissonClient;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * Acquire and release, 8 threads: each on a name of its own, and all on one name.
 *
 * <p>A row is exact if nobody ever met anybody else inside: each name has a counter that is read, and written one higher, inside
 * the lock, without any other synchronisation; at the end it is what the threads counted.
 */
final class Locks implements Benchmark {
    private static final Crowd CROWD = new Crowd(8);
    private static final String DISTINCT = "/distinct";
    private static final String ONE_NAME = "/one name";
    private static final String ADVISORY = "AdvisoryLock";
    private static final String LEASES = "Leases";
    private static final String SHEDLOCK = "ShedLock jdbc";
    private static final String REDISSON = "Redisson, no AOF";
    private static final String PLAIN = "plain JDBC, advisory";

    @Override
    public String name() {
        return "locks";
    }

    @Override
    public String about() {
        return "advisory locks and fenced leases beside ShedLock, Spring JdbcLockRegistry, Redisson and plain JDBC";
    }

    @Override
    public List<Row> run(Options options) throws Exception {
        Duration warmUp = Duration.ofMillis(options.quick() ? 300 : 1000);
        Duration measured = Duration.ofMillis(options.quick() ? 700 : 2000);
        int repeats = options.quick() ? 1 : 3;
        try (Server server = Server.start(Server.NEWEST);
                HikariDataSource pool = CROWD.pool(server.newDatabase(), 2);
                Redis redis = Redis.startIfInstalled()) {
            List<Case> cases = new ArrayList<>(cases(pool));
            if (redis == null) {
                System.err.println("no redis-server on this machine: Redisson is left out");
            } else {
                cases.add(redisson(redis.client()));
            }
            Samples samples = new Samples("acquire+release/s");
            for (int repeat = 0; repeat < repeats; repeat++) {
                for (Case one : repeat % 2 == 0 ? cases : cases.reversed()) {
                    for (boolean distinct : new boolean[] {true, false}) {
                        String name = one.name + (distinct ? DISTINCT : ONE_NAME);
                        if (options.wants(name)) {
                            System.err.println("  " + name + ", " + (repeat + 1) + " of " + repeats);
                            checkpoint(pool);
                            samples.add(name, measure(one, distinct, warmUp, measured));
                        }
                    }
                }
            }
            return rows(samples);
        }
    }

    private static List<Case> cases(HikariDataSource pool) throws SQLException {
        List<String> unused = Schema.standard().install(pool);
        try (Connection c = pool.getConnection();
                Statement s = c.createStatement()) {
            s.execute("""
                    CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until TIMESTAMP NOT NULL,
                        locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL);
                    CREATE TABLE INT_LOCK (LOCK_KEY CHAR(36), REGION VARCHAR(100), CLIENT_ID CHAR(36),
                        CREATED_DATE TIMESTAMP NOT NULL, PRIMARY KEY (LOCK_KEY, REGION))""");
        }
        Tx tx = Tx.on(pool);
        AdvisoryLock locks = AdvisoryLock.of("bench");
        Leases leases = Leases.on(pool).unrenewed().waiting(Duration.ofSeconds(30));
        LockProvider shedlock = new JdbcLockProvider(pool);
        return List.of(
                new Case(
                        ADVISORY,
                        (name, inside) -> tx.run(c -> {
                            locks.hold(c, name).orRollback();
                            inside.run();
                        })),
                new Case(LEASES, (name, inside) -> {
                    try (Lease lease = leases.hold(name).orRollback().lease()) {
                        inside.run();
                        if (lease.token() < 1) {
                            throw new IllegalStateException("a lease without a token");
                        }
                    }
                }),
                new Case(SHEDLOCK, (name, inside) -> {
                    LockConfiguration asked =
                            new LockConfiguration(Instant.now(), name, Duration.ofSeconds(30), Duration.ZERO);
                    Optional<SimpleLock> lock = shedlock.lock(asked);
                    while (lock.isEmpty()) { // it has no waiting of its own
                        Thread.onSpinWait();
                        lock = shedlock.lock(
                                new LockConfiguration(Instant.now(), name, Duration.ofSeconds(30), Duration.ZERO));
                    }
                    inside.run();
                    lock.get().unlock();
                }),
                new Case("Spring JdbcLockRegistry", spring(pool)),
                new Case(PLAIN, (name, inside) -> {
                    try (Connection c = pool.getConnection()) {
                        c.setAutoCommit(false);
                        try (PreparedStatement s = c.prepareStatement("SELECT pg_advisory_xact_lock(?)")) {
                            s.setLong(1, name.hashCode());
                            s.execute();
                        }
                        inside.run();
                        c.commit();
                        c.setAutoCommit(true);
                    }
                }));
    }

    private static Guarded spring(HikariDataSource pool) {
        DefaultLockRepository repository =
                new DefaultLockRepository(pool, UUID.randomUUID().toString());
        repository.setTransactionManager(new DataSourceTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        JdbcLockRegistry registry = new JdbcLockRegistry(repository);
        return (name, inside) -> {
            var lock = registry.obtain(name);
            lock.lock();
            try {
                inside.run();
            } finally {
                lock.unlock();
            }
        };
    }

    private static Case redisson(RedissonClient client) {
        return new Case(REDISSON, (name, inside) -> {
            var lock = client.getLock(name);
            lock.lock(30, TimeUnit.SECONDS);
            try {
                inside.run();
            } finally {
                lock.unlock();
            }
        });
    }

    private static Samples.Sample measure(Case one, boolean distinct, Duration warmUp, Duration measured)
            throws Exception {
        long[][] counters = new long[CROWD.threads()][16]; // a counter a cache line
        Crowd.Done done = CROWD.keepUp(warmUp, measured, thread -> {
            int mine = distinct ? thread : 0;
            one.guarded.with("name " + mine, () -> counters[mine][0]++);
        });
        long inside = 0;
        for (long[] counter : counters) {
            inside += counter[0];
        }
        return new Samples.Sample(done.perSecond(), inside == done.turns());
    }

    private static List<Row> rows(Samples samples) {
        List<Row> rows = samples.rows();
        String[][] goals = {
            {ADVISORY, SHEDLOCK, DISTINCT}, // at least 4.5
            {ADVISORY, SHEDLOCK, ONE_NAME}, // at least 10
            {ADVISORY, REDISSON, DISTINCT}, // at least 2.3
            {ADVISORY, REDISSON, ONE_NAME}, // at least 2.3
            {ADVISORY, PLAIN, DISTINCT},
            {LEASES, SHEDLOCK, DISTINCT}, // at least 1.3
        };
        for (String[] goal : goals) {
            rows.addAll(samples.ratio(goal[0] + goal[2], goal[1] + goal[2]));
        }
        return rows;
    }

    private static void checkpoint(HikariDataSource pool) throws SQLException {
        try (Connection c = pool.getConnection();
                Statement s = c.createStatement()) {
            s.execute("CHECKPOINT");
        }
    }

    private record Case(String name, Guarded guarded) {}

    /** Takes the lock of a name, does what is given, and lets go. */
    private interface Guarded {
        void with(String name, Runnable inside) throws Exception;
    }
}
