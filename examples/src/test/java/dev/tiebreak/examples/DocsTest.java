package dev.tiebreak.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tiebreak.embedded.Server;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The code of README, and of every page that says {@code <!-- java: … -->}, compiles and runs; links lead to files. The page
 * on transactions is compiled by a test of core.
 */
class DocsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]+)(#[^)]*)?\\)");

    @TempDir
    Path work;

    @TestFactory
    Stream<DynamicTest> javaBlocks_everyPage_compileAndRun() throws IOException {
        return pages().map(DocsTest::blocks)
                .filter(blocks ->
                        blocks.stream().anyMatch(b -> b.runs() || !b.imports().isEmpty()))
                .flatMap(List::stream)
                .map(block -> DynamicTest.dynamicTest(ROOT.relativize(block.page()) + ":" + block.line(), () -> {
                    Class<?> type = compile(block);
                    if (block.runs()) {
                        Page.prepare(Server.shared(Server.NEWEST));
                        assertThat(((Page) type.getDeclaredConstructor().newInstance()).block())
                                .isNotNull();
                    }
                }));
    }

    @Test
    void block_thatDoesNotCompile_isCaught() {
        Block broken = new Block(Path.of("BROKEN.md"), 1, "int x = \"no number\";\n", "", false);
        assertThat(problems(broken)).contains("incompatible types");
    }

    @Test
    void readme_hasBlocksThatRun() throws IOException {
        assertThat(Block.of(ROOT.resolve("README.md"))).filteredOn(Block::runs).hasSizeGreaterThan(2);
    }

    @Test
    void links_everyPage_leadToFiles() throws IOException {
        List<String> dead = new ArrayList<>();
        for (Path page : pages().toList()) {
            Matcher link = LINK.matcher(Files.readString(page));
            while (link.find()) {
                Path target = page.resolveSibling(link.group(1)).normalize();
                if (!Files.exists(target)) {
                    dead.add(ROOT.relativize(page) + " -> " + link.group(1));
                }
            }
        }
        assertThat(dead).isEmpty();
    }

    private static Stream<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            Stream.concat(top, docs)
                    .filter(p -> p.toString().endsWith(".md"))
                    .sorted()
                    .forEach(pages::add);
        }
        return pages.stream();
    }

    private static List<Block> blocks(Path page) {
        try {
            return Block.of(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Class<?> compile(Block block) throws Exception {
        assertThat(problems(block)).as("%s as\n%s", block, block.source()).isEmpty();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {work.toUri().toURL()})) {
            return loader.loadClass("dev.tiebreak.examples.pages." + block.className());
        }
    }

    private String problems(Block block) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            Path source = Files.writeString(work.resolve(block.className() + ".java"), block.source());
            Iterable<? extends JavaFileObject> units = files.getJavaFileObjects(source);
            List<String> options = List.of("-proc:none", "--release", "21", "-d", work.toString());
            boolean compiled =
                    compiler.getTask(said, files, null, options, null, units).call();
            return compiled ? "" : said + "failed";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
