import Foundation
import SessionExport
import SessionRecording
import Testing

@Suite("A recording as lines of JSON")
struct JSONLinesExporterTests {
    private func lines(_ data: Data) throws -> [[String: Any]] {
        try data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map {
            try #require(try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any])
        }
    }

    @Test func `each entry is a line, and says what it is, where and when`() throws {
        let more = #"""
            INSERT INTO look VALUES (1, 50000000, 3, 0, -1), (2, 51000000, NULL, 0, 0);
            INSERT INTO screen VALUES (1, 52000000, 'chat', 'state', '{"b":1.50,"a":"é"}');
            INSERT INTO event VALUES (1, 9, 53000000, 'phone', 'crash', 'two' || char(10) || 'lines');
            INSERT INTO message (connection, direction, kind, nanoseconds, bytes) VALUES
                (0, 'in', 'body', 54000000, CAST('{"a":' || char(13) || char(10) || ' 1 }' AS BLOB)),
                (0, 'in', 'body', 55000000, CAST('{broken' AS BLOB));
            """#
        let data = try WrittenSession(WrittenSession.exchanges + more).exported(by: JSONLinesExporter())
        let lines = try lines(data)
        #expect(lines.count == 20 + 6)
        #expect(lines[0]["id"] as? String == "m1" && lines[0]["place"] as? String == "http 0")
        #expect(lines[0]["kind"] as? String == "head" && lines[0]["direction"] as? String == "out")
        #expect(lines[0]["at"] as? Double == 0.001)
        #expect(
            (lines[0]["text"] as? String)?.hasPrefix("POST http://127.0.0.1:80/a?b=c%20d&e\ncontent-type")
                == true
        )
        let bytes = try #require(lines.first { $0["base64"] != nil })
        #expect(bytes["base64"] as? String == "AP+A" && bytes["byteCount"] as? Int == 3)
        let tail = lines.suffix(6).map { $0 }
        #expect(tail[0]["frame"] as? Int == 3 && tail[0]["hash"] as? String == "ffffffffffffffff")
        #expect(tail[1]["kind"] as? String == "capture" && tail[1]["frame"] == nil && tail[1]["hash"] == nil)
        #expect((tail[2]["json"] as? [String: Any])?["a"] as? String == "é")
        #expect(tail[3]["text"] as? String == "two\nlines" && tail[3]["step"] as? Int == 9)
        #expect((tail[4]["json"] as? [String: Int]) == ["a": 1])
        #expect(tail[5]["text"] as? String == "{broken" && tail[5]["json"] == nil)
        // JSON stays as it was, digit by digit.
        #expect(String(decoding: data, as: UTF8.self).contains(#""json":{"b":1.50,"a":"é"}}"#))
    }

    @Test func `what is no JSON by the letter is a text or bytes, and each line stays JSON`() throws {
        let bodies = [
            #"{"a":1,}"#, "[1,]", "[01]", #"{"a":"\#u{1}"}"#, "[1]\0 junk", #"{"a":NaN}"#, "{'a':1}",
            "[1] // no", "[\"\\x\"]",
        ]
        var rows = bodies.enumerated().map {
            "(\($0.offset + 1), 0, 'in', 'body', 0, x'\(hex(Array($0.element.utf8)))')"
        }
        // UTF-16, and a text that is none.
        rows += [
            "(20, 0, 'in', 'body', 0, x'\(hex(Array("{\"a\":1}".utf16).flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }))')",
            "(21, 0, 'in', 'body', 0, x'\(hex(Array("{\"a\":\"".utf8) + [0xff] + Array("\"}".utf8)))')",
        ]
        let written = try WrittenSession(
            "INSERT INTO connection VALUES (0, 'http'); INSERT INTO message VALUES \(rows.joined(separator: ", "))"
        )
        let data = try written.exported(by: JSONLinesExporter())
        let lines = try lines(data)
        #expect(lines.count == bodies.count + 2)
        #expect(lines.allSatisfy { $0["json"] == nil }, "\(lines)")
        #expect(lines.prefix(bodies.count).map { $0["text"] as? String } == bodies)
        #expect(!data.contains(0))
    }

    private func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    @Test func `a filter leaves what it says`() throws {
        var filter = SessionFilter()
        filter.kinds = [.websocket]
        let data = try WrittenSession(WrittenSession.exchanges).exported(by: JSONLinesExporter(filter))
        #expect(Set(try lines(data).map { $0["place"] as? String }) == ["websocket 3"])
    }
}
