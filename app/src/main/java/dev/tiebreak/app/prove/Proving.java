package dev.tiebreak.app.prove;

import dev.tiebreak.app.Complaint;
import dev.tiebreak.app.Database;
import dev.tiebreak.prove.Replay;
import dev.tiebreak.prove.SetupException;
import dev.tiebreak.prove.SpecProof;
import dev.tiebreak.prove.SpecProof.Progress;
import dev.tiebreak.prove.picture.Trace;
import dev.tiebreak.prove.spec.Spec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * How spec files are proved.
 *
 * @param preemptions the most switches away from a session that could go on; {@link SpecProof#ALL} for all
 * @param budget the most time for a file, and again for each cure of it
 * @param fixes whether the known cures are tried on a violated race
 */
public record Proving(int preemptions, Duration budget, boolean fixes) {
    /** Proves a file; a fault of the file or the server is a judgement too. */
    public Judgement judge(Path file, Database database, Consumer<Progress> progress) {
        try {
            Spec spec = Spec.read(file);
            String text = Files.readString(file);
            try (Hold hold = Hold.on(database)) {
                SpecProof proof = SpecProof.of(spec, hold.source())
                        .preemptions(preemptions)
                        .budget(budget)
                        .progress(p -> {
                            hold.check();
                            progress.accept(p);
                        });
                return new Judgement.Judged(file, text, (fixes ? proof.withFixes() : proof).explore());
            }
        } catch (SetupException e) {
            return new Judgement.Faulty(file, e);
        } catch (IOException e) {
            return new Judgement.Faulty(file, new SetupException(file + ": cannot be read: " + e.getMessage(), e));
        }
    }

    /** Runs a record again and tells what happens. */
    public static Trace again(Path record, Replay replay, Database database) {
        Spec spec = Records.spec(record, replay);
        try (Hold hold = Hold.on(database)) {
            return SpecProof.of(spec, hold.source()).replay(replay.schedule());
        } catch (SetupException e) {
            throw new Complaint(e.getMessage() + "; recorded on PostgreSQL " + replay.server(), e);
        }
    }
}
