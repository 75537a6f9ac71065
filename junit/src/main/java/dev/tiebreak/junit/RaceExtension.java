package dev.tiebreak.junit;

import dev.tiebreak.prove.Proof;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Hands a {@link Proof} to a {@link RaceTest}, and explores it when the method has described the race. */
public final class RaceExtension implements ParameterResolver, AfterTestExecutionCallback {
    private static final Namespace NAMESPACE = Namespace.create(RaceExtension.class);

    /** Made by JUnit. */
    public RaceExtension() {}

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Proof.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        RaceTest test = context.getRequiredTestMethod().getAnnotation(RaceTest.class);
        String name = test.value().isEmpty() ? context.getRequiredTestMethod().getName() : test.value();
        Proof proof = Proof.on(source(context)).named(name).budget(Duration.ofSeconds(test.budgetSeconds()));
        context.getStore(NAMESPACE).put(Proof.class, proof);
        return proof;
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        Proof proof = context.getStore(NAMESPACE).get(Proof.class, Proof.class);
        if (proof == null) {
            throw new ExtensionConfigurationException("a @RaceTest takes a parameter of type dev.tiebreak.prove.Proof: "
                    + context.getRequiredTestMethod());
        }
        if (context.getExecutionException().isEmpty()) {
            proof.explore().assertProved();
        }
    }

    private static DataSource source(ExtensionContext context) {
        List<DataSource> found = new ArrayList<>();
        for (Class<?> type = context.getRequiredTestClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (DataSource.class.isAssignableFrom(field.getType())
                        && value(field, context) instanceof DataSource source) {
                    found.add(source);
                }
            }
        }
        if (found.size() != 1) {
            throw new ExtensionConfigurationException(
                    context.getRequiredTestClass().getName() + " has " + found.size()
                            + " fields with a javax.sql.DataSource; a @RaceTest needs one");
        }
        return found.get(0);
    }

    private static @org.jspecify.annotations.Nullable Object value(Field field, ExtensionContext context) {
        try {
            field.setAccessible(true);
            return field.get(Modifier.isStatic(field.getModifiers()) ? null : context.getRequiredTestInstance());
        } catch (IllegalAccessException e) {
            throw new ExtensionConfigurationException("cannot read " + field, e);
        }
    }
}
