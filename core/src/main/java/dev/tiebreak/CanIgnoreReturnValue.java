package dev.tiebreak;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks what answers but need not be looked at, in a package where everything else has to be: {@code orRollback()}, whose
 * "no" is an exception. Checkers know it by its simple name, as they do {@link CheckReturnValue}.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface CanIgnoreReturnValue {}
