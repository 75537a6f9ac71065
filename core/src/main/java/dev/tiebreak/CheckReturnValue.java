package dev.tiebreak;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks what answers: ignoring the result is a bug. Error Prone, IntelliJ IDEA and SpotBugs know the annotation by its
 * simple name, so the library needs no dependency for it.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.PACKAGE, ElementType.TYPE, ElementType.METHOD})
public @interface CheckReturnValue {}
