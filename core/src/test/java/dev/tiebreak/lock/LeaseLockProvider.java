package dev.tiebreak.lock;

import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;

/** ShedLock's locks as leases: unrenewed, as ShedLock's are, for lockAtMostFor, and at least for lockAtLeastFor. */
final class LeaseLockProvider implements LockProvider {
    private final Leases leases;

    LeaseLockProvider(DataSource dataSource) {
        this.leases = Leases.on(dataSource).unrenewed().named("scheduled jobs");
    }

    @Override
    public Optional<SimpleLock> lock(LockConfiguration job) {
        try {
            Leases asked = leases.lasting(job.getLockAtMostFor()).atLeast(job.getLockAtLeastFor());
            return asked.hold(job.getName()) instanceof Leases.Hold.Held held
                    ? Optional.of(held.lease()::close)
                    : Optional.empty();
        } catch (SQLException e) {
            throw new LockException("could not ask for the lock of " + job.getName(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
