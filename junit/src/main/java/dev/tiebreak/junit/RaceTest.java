package dev.tiebreak.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that describes a race, and passes if the race is proved.
 *
 * <p>The method takes a {@link dev.tiebreak.prove.Proof} on the one field of type {@link javax.sql.DataSource} that the
 * test class has, and adds sessions and invariants to it; when it returns, every interleaving is run. A failure prints the
 * picture of the shortest breaking schedule.
 *
 * {@snippet :
 * class ShopTest {
 *     static final DataSource shop = …;
 *
 *     @RaceTest
 *     void twoBuyers_oneTea_isSoldOnce(Proof race) {
 *         race.reset("TRUNCATE stock; INSERT INTO stock VALUES (1, 1)")
 *                 .session("ana", ds -> new Shop(ds).buy(1))
 *                 .session("ben", ds -> new Shop(ds).buy(1))
 *                 .invariant("never below zero", "SELECT qty >= 0 FROM stock");
 *     }
 * }
 * }
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Test
@ExtendWith(RaceExtension.class)
public @interface RaceTest {
    /** The name of the race in the picture; by default that of the method. */
    String value() default "";

    /** The most time for the search, in seconds; a search that is not complete by then fails. */
    long budgetSeconds() default 60;
}
