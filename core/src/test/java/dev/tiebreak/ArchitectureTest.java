package dev.tiebreak;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.tiebreak.embedded.Server;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The directions inside this module, and proof that each rule can fail. */
class ArchitectureTest {
    private static final JavaClasses CORE = new ClassFileImporter().importPath(Path.of("target", "classes"));

    /** What every race uses knows no race. */
    private static final ArchRule ROOT_IS_THE_FLOOR = noClasses()
            .that()
            .resideInAPackage("dev.tiebreak")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.tiebreak.*..");

    /** Each kind of race can be read, and one day moved, by itself. */
    private static final ArchRule SIBLINGS_NEVER_MEET = slices().matching("dev.tiebreak.(*)..")
            .should()
            .notDependOnEachOther()
            .ignoreDependency(alwaysTrue(), resideInAPackage("dev.tiebreak.internal"));

    /** What races share and users do not see is part of the floor. */
    private static final ArchRule INTERNAL_KNOWS_ONLY_THE_ROOT = noClasses()
            .that()
            .resideInAPackage("dev.tiebreak.internal")
            .should()
            .dependOnClassesThat(
                    resideInAPackage("dev.tiebreak.*..").and(not(resideInAPackage("dev.tiebreak.internal"))));

    private static final ArchRule NO_OTHER_LIBRARIES = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..", "javax.sql..", "org.jspecify.annotations..", "org.postgresql..", "dev.tiebreak..");

    @Test
    void core_keepsItsDirections() {
        assertThat(CORE).isNotEmpty();
        ROOT_IS_THE_FLOOR.check(CORE);
        SIBLINGS_NEVER_MEET.allowEmptyShould(true).check(CORE);
        INTERNAL_KNOWS_ONLY_THE_ROOT.check(CORE);
        NO_OTHER_LIBRARIES.check(CORE);
    }

    @Test
    void rules_brokenOnPurpose_fail() {
        JavaClasses broken = new ClassFileImporter().importClasses(Broken.class, Server.class);

        assertThatThrownBy(() -> ROOT_IS_THE_FLOOR.check(broken)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> NO_OTHER_LIBRARIES.check(broken)).isInstanceOf(AssertionError.class);
    }

    /** Depends on a package beside the root, and on a library. */
    @SuppressWarnings("unused") // looked at, never called
    private static final class Broken {
        static int major(Server server) {
            return server.major();
        }

        static com.zaxxer.hikari.HikariConfig library() {
            return new com.zaxxer.hikari.HikariConfig();
        }
    }
}
