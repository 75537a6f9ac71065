package dev.tiebreak.art;

import java.util.ArrayList;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * The five races of the tree on the real memory model, for jcstress: buckets of two, in a node of two runs, so that one
 * more key in a run replaces the node.
 */
public class Races {
    /** Keys that differ in the last byte: a node whose runs hold 0, 1 and 128, 129. */
    private static LongArtMap<Integer> twoFullRuns() {
        LongArtMap<Integer> map = LongArtMap.create(new Capacities(2));
        for (long key : new long[] {0, 1, 128, 129}) {
            map.put(key, 0);
        }
        return map;
    }

    private static boolean has(LongArtMap<Integer> map, long key, int value) {
        Integer got = map.get(key);
        return got != null && got == value;
    }

    /** One key overflows a run, so the node is frozen and replaced; another goes into the other run meanwhile. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "both are in")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an insertion is lost")
    @State
    public static class InsertVersusFreeze {
        private final LongArtMap<Integer> map = twoFullRuns();

        public InsertVersusFreeze() {
            Integer removed = map.remove(129);
            assert removed != null;
        }

        @Actor
        public void overflow() {
            map.put(2, 1);
        }

        @Actor
        public void insert() {
            map.put(130, 2);
        }

        @Arbiter
        public void look(ZZ_Result result) {
            result.r1 = has(map, 2, 1);
            result.r2 = has(map, 130, 2);
        }
    }

    /** A value is overwritten while its node is copied. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "the key is in and the value new")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a write is lost")
    @State
    public static class OverwriteVersusCopy {
        private final LongArtMap<Integer> map = twoFullRuns();

        @Actor
        public void overflow() {
            map.put(2, 1);
        }

        @Actor
        public void overwrite() {
            map.put(0, 2);
        }

        @Arbiter
        public void look(ZZ_Result result) {
            result.r1 = has(map, 2, 1);
            result.r2 = has(map, 0, 2);
        }
    }

    /** A key is removed while its run is cut in two. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "one is in, the other out")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the removal or the insertion is lost")
    @State
    public static class RemoveVersusSplit {
        private final LongArtMap<Integer> map = twoFullRuns();

        @Actor
        public void split() {
            map.put(2, 1);
        }

        @Actor
        public void remove() {
            map.remove(1);
        }

        @Arbiter
        public void look(ZZ_Result result) {
            result.r1 = has(map, 2, 1);
            result.r2 = map.get(1) == null && map.size() == 4;
        }
    }

    /** Two keys overflow one bucket, the root's, each in its own way. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "both are in")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an insertion is lost")
    @State
    public static class BurstVersusBurst {
        private final ArtMap<String, Integer> map = ArtMap.create(KeyCodec.strings(), new Capacities(2));

        public BurstVersusBurst() {
            map.put("prefix a", 0);
            map.put("prefix b", 0);
        }

        @Actor
        public void below() {
            map.put("prefix b and more", 1);
        }

        @Actor
        public void beside() {
            map.put("pre", 2);
        }

        @Arbiter
        public void look(ZZ_Result result) {
            result.r1 = Integer.valueOf(1).equals(map.get("prefix b and more"));
            result.r2 = Integer.valueOf(2).equals(map.get("pre")) && map.size() == 4;
        }
    }

    /** A scan while a run is cut: how many of the four keys that stay it met, and how many of the new one. */
    @JCStressTest
    @Outcome(
            id = {"4, 0", "4, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "every key that stays, in order, once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a key is missed, doubled or out of order")
    @State
    public static class ScanVersusSplit {
        private final LongArtMap<Integer> map = twoFullRuns();

        @Actor
        public void split() {
            map.put(2, 1);
        }

        @Actor
        public void scan(II_Result result) {
            List<Long> seen = new ArrayList<>();
            map.forEach((key, value) -> seen.add(key));
            long last = -1;
            for (long key : seen) {
                if (key <= last) {
                    result.r1 = -100;
                }
                last = key;
                if (key == 2) {
                    result.r2++;
                } else {
                    result.r1++;
                }
            }
        }
    }

    /** Not the tree: a table that is copied without freezing, to show that a lost insertion is caught. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "both are in")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an insertion is lost")
    @State
    public static class BrokenOnPurpose {
        private final BrokenMaps.Unfrozen map = new BrokenMaps.Unfrozen();

        @Actor
        public void grow() {
            map.put(2, 1);
        }

        @Actor
        public void insert() {
            map.put(1, 2);
        }

        @Arbiter
        public void look(ZZ_Result result) {
            result.r1 = Integer.valueOf(1).equals(map.get(2));
            result.r2 = Integer.valueOf(2).equals(map.get(1));
        }
    }
}
