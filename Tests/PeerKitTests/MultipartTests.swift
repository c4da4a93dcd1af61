import PeerKit
import Simulation
import Testing

@Suite("PeerKit: forms")
struct MultipartTests {
    private let form = Array(
        """
        preamble\r
        --b\r
        Content-Disposition: form-data; name="a b"\r
        \r
        one\r
        --b\r
        content-disposition: form-data; name="f"; filename="x\\".txt"\r
        Content-Type: text/plain\r
        \r
        two\r\n--not a delimiter\r
        --b--\r
        epilogue
        """.utf8
    )

    /// What a form says, with the chunks of bytes put together.
    private func read(_ chunks: [[UInt8]]) throws -> [String] {
        var parser = try MultipartParser(boundary: "b")
        var told: [String] = []
        for event in try chunks.flatMap({ try parser.feed($0) }) {
            switch event {
            case .part(let head):
                told.append("\(head.name)|\(head.filename ?? "-")|\(head.contentType ?? "-")|")
            case .bytes(let bytes): told[told.count - 1] += String(decoding: bytes, as: UTF8.self)
            case .partEnd: told[told.count - 1] += "."
            case .end: told.append("end")
            }
        }
        try parser.finish()
        return told
    }

    private let wanted = ["a b|-|-|one.", "f|x\".txt|text/plain|two\r\n--not a delimiter.", "end"]

    @Test func `a form says the same however it is cut`() throws {
        #expect(try read([form]) == wanted)
        #expect(try read(form.map { [$0] }) == wanted)
        var random = EntropyStream(seed: 8, label: "cuts")
        for _ in 0..<500 {
            var rest = form[...]
            var chunks: [[UInt8]] = []
            while !rest.isEmpty {
                chunks.append(Array(rest.prefix(Int.random(in: 1...30, using: &random))))
                rest = rest.dropFirst(chunks[chunks.count - 1].count)
            }
            #expect(try read(chunks) == wanted)
        }
    }

    @Test func `damaged forms are refused or read to an end`() {
        var random = EntropyStream(seed: 9, label: "damage")
        var refusals = 0
        for _ in 0..<3000 {
            var bytes = form
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes[place] = UInt8.random(in: 0...255, using: &random)
                } else {
                    bytes.removeSubrange(place..<min(bytes.count, place + 9))
                }
            }
            do { #expect(try read([bytes]).last == "end") } catch {
                #expect(error is MultipartParser.Malformed)
                refusals += 1
            }
        }
        #expect(refusals > 300)
    }

    @Test func `preambles and heads are bounded`() throws {
        var parser = try MultipartParser(boundary: "b")
        #expect(throws: MultipartParser.Malformed.self) {
            for _ in 0..<100 { _ = try parser.feed(Array(repeating: 65, count: 1000)) }
        }
        var other = try MultipartParser(boundary: "b")
        _ = try other.feed(Array("--b\r\nX: ".utf8))
        #expect(throws: MultipartParser.Malformed.self) {
            for _ in 0..<100 { _ = try other.feed(Array(repeating: 65, count: 1000)) }
        }
        for boundary in ["", String(repeating: "b", count: 71)] {
            #expect(throws: MultipartParser.Malformed.self) { try MultipartParser(boundary: boundary) }
        }
    }
}
