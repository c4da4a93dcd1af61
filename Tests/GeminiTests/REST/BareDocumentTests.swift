import Testing

@testable import GeminiREST

@Suite("Documents without a field's name in an event stream")
struct BareDocumentTests {
    @Test(
        "one is given out with the byte that makes it whole, and once",
        arguments: [
            #"{"a":"}\"]{","b":[{},{"c":"\\"}]}"#, #"[{"error":{}}]"#, "{\n \"a\": [\r\n1, 2]\n}",
            "\u{FEFF}{\n\"a\":1}",
        ]
    )
    func whole(document: String) throws {
        var events = ServerSentEvents(limit: 1_000)
        let bytes = Array(document.utf8)
        for byte in bytes.dropLast() {
            _ = try events.append([byte])
            #expect(events.takeBareDocument() == nil)
        }
        _ = try events.append(bytes.suffix(1))
        let found = events.takeBareDocument()
        let taken = try #require(found)
        #expect(bytes.count - taken.count < 4 && taken.last == bytes.last)
        _ = try events.append(Array("}\n{}\n".utf8))
        #expect(events.takeBareDocument() == nil)
    }

    @Test func `the fields of an event and lines after its first are none`() throws {
        var events = ServerSentEvents(limit: 1_000)
        for text in ["event: x\n", "data: {\n", "{}\n", "data: }\n\n", ": {}\n", "id\n"] {
            _ = try events.append(Array(text.utf8))
            #expect(events.takeBareDocument() == nil)
        }
    }
}
