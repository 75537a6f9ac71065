package dev.tiebreak.app;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who may know whom: between the modules, by class files and by their POMs, and between the packages of this one. */
class DirectionsTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.tiebreak");

    /** What each module may name in its POM besides for tests; a module that is not here may name anything of ours. */
    private static final Map<String, Set<String>> MAY_USE = Map.of(
            "embedded", Set.of(),
            "core", Set.of(),
            "prove", Set.of(),
            "art", Set.of(),
            "junit", Set.of("prove"),
            "app", Set.of("core", "prove", "embedded"));

    @Test
    void prove_classes_knowNoOtherModule() {
        knowsOnly("dev.tiebreak.prove..");
    }

    @Test
    void art_classes_knowNoOtherModule() {
        knowsOnly("dev.tiebreak.art..");
    }

    @Test
    void core_classes_knowNoOtherModule() {
        classes()
                .that()
                .resideInAnyPackage("dev.tiebreak..")
                .and()
                .resideOutsideOfPackages(
                        "dev.tiebreak.app..", "dev.tiebreak.prove..", "dev.tiebreak.art..", "dev.tiebreak.embedded..")
                .should()
                .onlyDependOnClassesThat(not(resideInAnyPackage(
                        "dev.tiebreak.app..", "dev.tiebreak.prove..", "dev.tiebreak.art..", "dev.tiebreak.embedded..")))
                .check(OURS);
    }

    @Test
    void app_classes_doNotKnowArtOrBenchmarks() {
        classes()
                .that()
                .resideInAPackage("dev.tiebreak.app..")
                .should()
                .onlyDependOnClassesThat(not(resideInAnyPackage("dev.tiebreak.art..", "dev.tiebreak.benchmarks..")))
                .check(OURS);
    }

    @Test
    void app_packages_knowOnlyThoseBelow() {
        SlicesRuleDefinition.slices()
                .matching("dev.tiebreak.app.(*)..")
                .should()
                .beFreeOfCycles()
                .check(OURS);
        knowNoneOf(
                "dev.tiebreak.app", "dev.tiebreak.app.bench..", "dev.tiebreak.app.report..", "dev.tiebreak.app.cli..");
        knowNoneOf("dev.tiebreak.app.bench", "dev.tiebreak.app.report..", "dev.tiebreak.app.cli..");
        knowNoneOf("dev.tiebreak.app.report", "dev.tiebreak.app.cli..");
    }

    @Test
    void poms_ofAllModules_nameOnlyWhatTheyMayUse() throws IOException {
        Path root = Path.of("..").toAbsolutePath().normalize();
        List<String> checked = new ArrayList<>();
        try (Stream<Path> modules = Files.list(root)) {
            for (Path pom : modules.map(module -> module.resolve("pom.xml"))
                    .filter(Files::exists)
                    .toList()) {
                String module = root.relativize(pom).getName(0).toString();
                Set<String> used = used(Files.readString(pom));
                assertThat(used).as(module).doesNotContain("benchmarks");
                if (MAY_USE.containsKey(module)) {
                    assertThat(MAY_USE.get(module)).as(module).containsAll(used);
                    checked.add(module);
                }
            }
        }
        assertThat(checked).contains("embedded", "core", "prove", "art", "app");
    }

    private static Set<String> used(String pom) {
        Matcher dependency = Pattern.compile(
                        "<dependency>\\s*<groupId>dev\\.tiebreak</groupId>\\s*<artifactId>tiebreak-([a-z]+)</artifactId>(.*?)</dependency>",
                        Pattern.DOTALL)
                .matcher(pom.replaceAll("(?s)<dependencyManagement>.*?</dependencyManagement>", ""));
        return dependency
                .results()
                .filter(found -> !found.group(2).contains("<scope>test</scope>"))
                .map(found -> found.group(1))
                .collect(java.util.stream.Collectors.toSet());
    }

    private static void knowsOnly(String module) {
        classes()
                .that()
                .resideInAPackage(module)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(module).or(not(resideInAnyPackage("dev.tiebreak.."))))
                .check(OURS);
    }

    private static void knowNoneOf(String layer, String... above) {
        classes()
                .that()
                .resideInAPackage(layer)
                .should()
                .onlyDependOnClassesThat(not(resideInAnyPackage(above)))
                .check(OURS);
    }
}
