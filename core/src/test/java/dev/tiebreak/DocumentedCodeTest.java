package dev.tiebreak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The code in the javadoc of the root package and in the guide to transactions compiles. */
class DocumentedCodeTest {
    private static final Pattern JAVADOC = Pattern.compile("<pre>\\{@code\\n(.*?)\\n \\* }</pre>", Pattern.DOTALL);
    private static final Pattern MARKDOWN = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    @TempDir
    private Path folder;

    record Snippet(Path file, String code) {
        @Override
        public String toString() {
            return file.getFileName() + ": " + code.lines().findFirst().orElse("");
        }
    }

    static List<Snippet> snippets() throws IOException {
        List<Snippet> found = new ArrayList<>();
        try (Stream<Path> sources = Files.list(Path.of("src/main/java/dev/tiebreak"))) {
            for (Path source : sources.filter(Files::isRegularFile).sorted().toList()) {
                found.addAll(in(source, JAVADOC));
            }
        }
        found.addAll(in(Path.of("../docs/guide/transactions.md"), MARKDOWN));
        return found;
    }

    private static List<Snippet> in(Path file, Pattern pattern) throws IOException {
        List<Snippet> found = new ArrayList<>();
        Matcher matcher = pattern.matcher(Files.readString(file));
        while (matcher.find()) {
            found.add(new Snippet(file, matcher.group(1).replaceAll("(?m)^ \\* ?", "")));
        }
        return found;
    }

    @ParameterizedTest
    @MethodSource("snippets")
    void snippet_compiles(Snippet snippet) {
        assertThat(errors(snippet.code())).isEmpty();
    }

    @Test
    void snippet_wrongCode_doesNotCompile() {
        assertThat(errors("Tx tx = Tx.on(42);")).contains("incompatible types");
    }

    /** As members of a class, or as statements of a method: whichever it is written as. */
    private String errors(String code) {
        String asMembers = compile(code);
        return asMembers.isEmpty()
                ? ""
                : compile("void example(java.sql.Connection c) throws Exception {\n" + code + "\n}");
    }

    private String compile(String members) {
        String source = """
                package dev.tiebreak;
                import java.sql.*;
                import java.time.Duration;
                import java.util.*;
                import javax.sql.DataSource;
                import org.springframework.jdbc.datasource.DataSourceUtils;
                abstract class Example extends DocumentedCode {
                Example() { super(null, null, null, null, null, null, null); }
                %s
                }
                """.formatted(members);
        JavaFileObject file =
                new SimpleJavaFileObject(
                        URI.create("string:///dev/tiebreak/Example.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        StringWriter messages = new StringWriter();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options =
                List.of("-d", folder.toString(), "-proc:none", "-cp", System.getProperty("java.class.path"));
        boolean compiled = compiler.getTask(messages, null, null, options, null, List.of(file))
                .call();
        return compiled ? "" : messages.toString();
    }
}
