package dev.tiebreak.prove.engine;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Runs the code of a session of ordinary code, and says how it ended. */
final class JavaScript implements Actor.Script {
    private final JavaRace.Player player;
    private final Seat seat;
    private final Rules rules;
    private final List<Class<? extends Throwable>> allowed;

    JavaScript(JavaRace.Player player, Seat seat, Rules rules, List<Class<? extends Throwable>> allowed) {
        this.player = player;
        this.seat = seat;
        this.rules = rules;
        this.allowed = allowed;
    }

    @Override
    public void play(Actor actor) throws SQLException {
        seat.take(actor);
        try {
            actor.returned(text(player.code().run(seat.source())));
        } catch (Throwable e) {
            ended(actor, e);
        } finally {
            seat.leave();
        }
    }

    private void ended(Actor actor, Throwable e) {
        String state = "";
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof Actor.Abandoned abandoned) {
                throw abandoned;
            }
            if (cause instanceof RaceException fault) {
                throw fault;
            }
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                state = sql.getSQLState();
            }
        }
        boolean mayHappen = allowed.stream().anyMatch(type -> type.isInstance(e))
                || (!state.isEmpty() && rules.retries(player.name(), state) >= 0);
        if (mayHappen) {
            actor.lost();
        } else {
            String message =
                    e.getMessage() == null ? e.toString() : e.getClass().getSimpleName() + ": " + e.getMessage();
            actor.complain(state, message.lines().findFirst().orElse(""));
        }
    }

    /** The value as text; two runs with the same answer have the same text. */
    private String text(@Nullable Object value) {
        String text = value instanceof Object[] array ? Arrays.deepToString(array) : String.valueOf(value);
        if (value != null
                && text.equals(value.getClass().getName() + "@"
                        + Integer.toHexString(System.identityHashCode(value)).toLowerCase(Locale.ROOT))) {
            throw new RaceException(
                    player.name(),
                    "",
                    "session " + player.name() + " returns a "
                            + value.getClass().getName()
                            + ", which has no toString() that tells its value: return a record or a plain value",
                    null);
        }
        return value == null ? "" : text;
    }
}
