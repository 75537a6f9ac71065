package dev.tiebreak.prove.picture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class HtmlPictureTest {
    @Test
    void html_oversell_tellsTheRunInTheOrderOfTime() throws Exception {
        Document page = page(Traces.oversell());

        assertThat(texts(page, "div", "event"))
                .containsExactly(
                        "anaBEGIN",
                        "anaSELECT qty FROM stock→ 1",
                        "benBEGIN",
                        "benSELECT qty FROM stock→ 1",
                        "anaUPDATE stock SET qty = 01 rowholds stock (1)",
                        "anaCOMMITnow visible: stock (1).qty 1 → 0",
                        "benUPDATE stock SET qty = 01 rowholds stock (1)",
                        "benCOMMITnow visible: orders +1 row");
        assertThat(texts(page, "p", "why"))
                .containsExactly(Traces.oversell().reason().sentence());
        assertThat(texts(page, "b", "bad")).containsExactly("VIOLATED");
        assertThat(texts(page, "li", ""))
                .containsExactly(
                        "ben before ana: ben read qty before ana wrote it.",
                        "ana before ben: ana wrote qty before ben did.",
                        "FOR NO KEY UPDATE on the read: PROVED (24)",
                        "SERIALIZABLE + retry: PROVED (38)",
                        "REPEATABLE READ + retry: PROVED (38)");
        assertThat(texts(page, "title", "")).contains("ben before ana, ana before ben");
        assertThat(texts(page, "tr", "differs")).containsExactly("tea0", "tea-1");
        assertThat(texts(page, "pre", "")).containsExactly("./tiebreak prove --replay oversell.replay");
    }

    @Test
    void html_eventsAndBars_standInTheirLaneAndRow() throws Exception {
        Document page = page(Traces.waiting());

        assertThat(styles(page, "event"))
                .startsWith("grid-column:2;grid-row:2", "grid-column:3;grid-row:3", "grid-column:4;grid-row:4");
        assertThat(styles(page, "bar"))
                .containsExactly(
                        "grid-column:2;grid-row:2/6", "grid-column:3;grid-row:3/7", "grid-column:3;grid-row:6/9");
    }

    @Test
    void html_markupInNamesStatementsAndValues_isShownAsText() throws Exception {
        Document page = page(Traces.waiting());

        assertThat(texts(page, "div", "name")).containsExactly("<a>", "b&b", "c");
        assertThat(texts(page, "div", "failed"))
                .containsExactly("cCOMMITERROR 40001: could not serialize access due to <everything>");
        assertThat(texts(page, "span", "wait")).containsExactly("waits for <a>");
        assertThat(texts(page, "h1", "")).containsExactly("a & b");
    }

    @Test
    void html_deadlock_showsTheCircleOfWaits() throws Exception {
        Document page = page(Traces.deadlock());

        assertThat(texts(page, "h2", "")).containsExactly("Who waits for whom");
        assertThat(texts(page, "li", ""))
                .containsExactly(
                        "ana waits for ben: ana wants to run UPDATE b, but ben has what it needs.",
                        "ben waits for ana: ben wants to run UPDATE a, but ana has what it needs.");
        assertThat(texts(page, "title", "")).contains("ana waits for ben, ben waits for ana");
    }

    @Test
    void html_anyTrace_fetchesNothingAndRunsNothing() {
        assertThat(Picture.html(Traces.oversell()))
                .doesNotContain("<script", "<link", "<img", "@import", "src=", "href=")
                .doesNotContainPattern("url\\((?!#)");
    }

    /** The page is written so that an XML parser reads it once the void elements and the doctype are gone. */
    private static Document page(Trace trace) throws Exception {
        String xml = Picture.html(trace).replace("<!DOCTYPE html>", "").replaceAll("<meta [^>]*>", "");
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
    }

    private static List<String> texts(Document page, String element, String className) {
        return elements(page, element, className).stream()
                .map(Element::getTextContent)
                .toList();
    }

    private static List<String> styles(Document page, String className) {
        return elements(page, "div", className).stream()
                .map(e -> e.getAttribute("style"))
                .toList();
    }

    private static List<Element> elements(Document page, String element, String className) {
        NodeList all = page.getElementsByTagName(element);
        List<Element> found = new ArrayList<>();
        for (int i = 0; i < all.getLength(); i++) {
            Element each = (Element) all.item(i);
            if (className.isEmpty()
                    || List.of(each.getAttribute("class").split(" ")).contains(className)) {
                found.add(each);
            }
        }
        return found;
    }
}
