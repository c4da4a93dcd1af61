import PlainXML
import Testing

@Suite("Plain XML")
struct PlainXMLTests {
    @Test func `a document is read as it was written`() throws {
        let element = PlainElement(
            "List",
            [
                PlainElement("Key", "a<b>&\"c'\r\n\tü\u{1}"), PlainElement("Empty", ""),
                PlainElement("In", [PlainElement("N", "1")]),
            ]
        )
        let document = element.document(namespace: "http://example.org/")
        #expect(try PlainElement(reading: document) == element)
        #expect(element["Key"]?.hasPrefix("a<b>") == true && element.all("In").count == 1)
    }

    @Test func `prefixes, attributes, comments, references and blanks are read`() throws {
        let text = """
            <?xml version='1.0'?><!-- a -->
            <s:A xmlns:s="x" b='c'> <!-- b --> <s:B/><C>1&#65;&#x42;&lt;</C><D><![CDATA[<&>]]></D> </s:A>

            """
        let element = try PlainElement(reading: Array(text.utf8))
        #expect(element.name == "A" && element.text.isEmpty)
        #expect(element["C"] == "1AB<" && element["D"] == "<&>" && element["B"] == "")
    }

    @Test(arguments: [
        "", "x", "<a>", "<a></b>", "<a/><b/>", "<a>&bad;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a b></a>",
        "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "<a><?php ?></a>", "<a b=\"<\"/>", "< a/>", "<a>&",
        "<a><!--",
        "<a><a><a><a><a><a><a><a><a/></a></a></a></a></a></a></a></a>",
    ])
    func `what is not plain is refused`(_ text: String) {
        #expect(throws: PlainElement.Unreadable.self) { try PlainElement(reading: Array(text.utf8)) }
    }

    @Test func `elements are counted, and bytes that are no UTF-8 refused`() {
        let many = "<a>" + String(repeating: "<b/>", count: 10) + "</a>"
        #expect(throws: PlainElement.Unreadable.self) {
            try PlainElement(reading: Array(many.utf8), atMost: 10)
        }
        #expect(throws: PlainElement.Unreadable.self) {
            try PlainElement(reading: Array("<a>".utf8) + [0xFF] + Array("</a>".utf8))
        }
    }
}
