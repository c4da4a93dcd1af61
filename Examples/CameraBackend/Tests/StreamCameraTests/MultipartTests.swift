import StreamCamera
import Testing

/// What the suite cannot see: bytes that a camera may send.
@Suite("Parts of a stream")
struct MultipartTests {
    private func parts(_ text: String, by step: Int = 7, limit: Int = 100) throws -> [String] {
        var reader = MultipartReader(boundary: "frame", limit: limit)
        let bytes = Array(text.utf8)
        return try stride(from: 0, to: bytes.count, by: step).flatMap { start in
            try reader.add(Array(bytes[start..<min(bytes.count, start + step)]))
        }
        .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("parts are the same wherever the bytes are cut", arguments: 1...40)
    func cut(step: Int) throws {
        let text =
            "hello\r\n--frame\r\nA: b\r\nContent-Length: 5\r\n\r\none\r\n--frame\r\n\r\ntwo\r\nand\r\n--frame\r\n\r\nx\r\n--frame--"
        #expect(try parts(text, by: step) == ["one\r\n", "two\r\nand", "x"])
    }

    @Test func `a part that is too long, and a header without an end, are refused`() {
        let long = String(repeating: "x", count: 200)
        let many = String(repeating: "a: b\r\n", count: 2_000)
        let wrong = [
            "--frame\r\nContent-Length: 101\r\n\r\n", "--frame\r\nContent-Length: -1\r\n\r\n",
            "--frame\r\nContent-Length: many\r\n\r\n", "--frame\r\n\r\n\(long)", "--frame\r\n\(many)",
        ]
        for text in wrong {
            #expect(throws: MultipartReader.Damage.self, "\(text.prefix(40))") { try parts(text) }
        }
    }

    @Test func `the boundary is that of the content type, however it is written`() {
        let types: [(String, String?)] = [
            ("multipart/x-mixed-replace; boundary=frame", "frame"),
            ("Multipart/X-Mixed-Replace;boundary=\"a b\"", "a b"),
            ("multipart/x-mixed-replace; charset=x; boundary=--frame", "frame"),
            ("multipart/x-mixed-replace", nil), ("multipart/x-mixed-replace; boundary=", nil),
            ("multipart/x-mixed-replace; boundary=\(String(repeating: "x", count: 300))", nil),
            ("image/jpeg", nil), ("", nil),
        ]
        for (type, boundary) in types { #expect(MultipartReader.boundary(in: type) == boundary, "\(type)") }
    }
}
