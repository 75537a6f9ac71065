package dev.tiebreak.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the pages of the guide say, so that a test can run it. */
public final class Guide {
    private Guide() {}

    /** The code between a page's {@code <!-- name:begin -->} and {@code <!-- name:end -->}. */
    public static String block(String page, String name) throws IOException {
        String text = Files.readString(root().resolve("docs/guide").resolve(page));
        int from = text.indexOf("<!-- " + name + ":begin -->");
        int to = text.indexOf("<!-- " + name + ":end -->");
        if (from < 0 || to < from) {
            throw new AssertionError(page + " has no block named " + name);
        }
        String fenced = text.substring(text.indexOf("```", from), to);
        return fenced.substring(fenced.indexOf('\n') + 1, fenced.lastIndexOf("```"));
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("docs/guide"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
