package dev.tiebreak.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One fenced Java block of a page.
 *
 * @param page the file it stands in
 * @param line the line of its fence, from 1
 * @param code what stands between the fences
 * @param imports what the page says its blocks need, in comments of the form {@code <!-- java: import a.B.*; -->}
 * @param runs whether the block is run and not only compiled: the page says {@code <!-- java: run -->} before it
 */
record Block(Path page, int line, String code, String imports, boolean runs) {
    private static final String ORDER = "<!-- java: ";

    static List<Block> of(Path page) throws IOException {
        List<Block> blocks = new ArrayList<>();
        StringBuilder imports = new StringBuilder();
        boolean runs = false;
        List<String> lines = Files.readAllLines(page);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith(ORDER)) {
                String order = line.substring(ORDER.length(), line.indexOf(" -->"));
                if (order.equals("run")) {
                    runs = true;
                } else {
                    imports.append(order).append('\n');
                }
            } else if (line.strip().equals("```java")) {
                int fence = i + 1;
                StringBuilder code = new StringBuilder();
                for (i++; !lines.get(i).strip().equals("```"); i++) {
                    code.append(lines.get(i)).append('\n');
                }
                blocks.add(new Block(page, fence, code.toString(), imports.toString(), runs));
                runs = false;
            }
        }
        return blocks;
    }

    /** The name of the class it is compiled as. */
    String className() {
        return page.getFileName().toString().replaceAll("\\W", "_") + "_" + line;
    }

    /** The block as a class: declarations stay as they are, statements become the body of a method. */
    String source() {
        boolean whole =
                code.lines().anyMatch(l -> l.matches("(public |final |abstract )*(class|interface|record|enum) .*"));
        String head = """
                package dev.tiebreak.examples.pages;
                import dev.tiebreak.*;
                import dev.tiebreak.examples.Page;
                import java.sql.*;
                import java.time.*;
                import java.util.*;
                import java.util.concurrent.*;
                import javax.sql.DataSource;
                """ + imports;
        if (whole) {
            return head + code.replaceFirst("(public |final )*class ", "final class ") + "final class " + className()
                    + " {}\n";
        }
        String body = code.replaceAll("(?m)^(private |public )?static ", "");
        return head + "public final class " + className()
                + " extends Page {\n@Override public Object block() throws Exception {\nif (going()) {\n" + body
                + "}\nreturn this;\n}\n}\n";
    }

    @Override
    public String toString() {
        return page + ":" + line;
    }
}
