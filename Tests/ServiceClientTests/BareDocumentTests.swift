import Testing

@testable import ServiceClient

@Suite("Values without a field's name in an event stream")
struct BareDocumentTests {
    /// What bytes add.
    private func events(of bytes: some Collection<UInt8>, _ parser: inout ServerSentEvents) throws
        -> [ServerSentEvent]
    {
        var events: [ServerSentEvent] = []
        try parser.append(Array(bytes), to: &events)
        return events
    }

    @Test(
        "one is given out with the byte that makes it whole, and is the last event",
        arguments: [
            #"{"a":"}\"]{","b":[{},{"c":"\\"}]}"#, #"[{"error":{}}]"#, "{\n \"a\": [\r\n1, 2]\n}",
            "\u{FEFF}{\n\"a\":1}",
        ]
    )
    func whole(document: String) throws {
        var parser = ServerSentEvents(limit: 1_000)
        let bytes = Array(document.utf8)
        for byte in bytes.dropLast() { #expect(try events(of: [byte], &parser).isEmpty) }
        let found = try events(of: bytes.suffix(1) + Array("}\n{}\n".utf8), &parser)
        // The mark of byte order is none of it.
        let value = Array(document.unicodeScalars.drop { $0 == "\u{FEFF}" }.map(String.init).joined().utf8)
        #expect(found == [ServerSentEvent(data: value)])
        #expect(try events(of: "data: x\n\n".utf8, &parser).isEmpty)
        #expect(try parser.finish() == nil)
    }

    @Test func `one without an end is not whole`() throws {
        var parser = ServerSentEvents(limit: 1_000)
        #expect(try events(of: "data: x\n\n{\"a\"".utf8, &parser) == [ServerSentEvent(data: [0x78])])
        #expect(try parser.finish() == ServerSentEvent(data: Array("{\"a\"".utf8), isWhole: false))
    }

    @Test func `the fields of an event and lines after its first are none`() throws {
        var parser = ServerSentEvents(limit: 1_000)
        for text in ["event: x\n", "data: {\n", "{}\n"] {
            #expect(try events(of: text.utf8, &parser).isEmpty)
        }
        let found = try events(of: "data: }\n\n: {}\nid\n".utf8, &parser)
        #expect(found == [ServerSentEvent(data: Array("{\n}".utf8))])
        #expect(try parser.finish() == nil)
    }
}
