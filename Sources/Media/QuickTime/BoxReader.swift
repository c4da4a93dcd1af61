/// Reads the contents of a box from their beginning, and says where they end too early.
struct BoxReader {
    private(set) var rest: ArraySlice<UInt8>
    /// Where the contents begin in the file, and the index that this has in the bytes.
    private let offset: Int
    private let start: Int
    let name: String

    init(_ bytes: ArraySlice<UInt8>, offset: Int, name: String) {
        (rest, self.offset, start, self.name) = (bytes, offset, bytes.startIndex, name)
    }

    var place: Int { offset + rest.startIndex - start }

    func malformed(_ detail: String) -> MovieError { .malformed(box: name, offset: place, detail: detail) }

    mutating func take(_ count: Int) throws(MovieError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw malformed("it ends too early") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func take16() throws(MovieError) -> Int { try take(2).reduce(0) { $0 << 8 | Int($1) } }

    mutating func take32() throws(MovieError) -> Int { try take(4).reduce(0) { $0 << 8 | Int($1) } }

    mutating func take64() throws(MovieError) -> Int {
        let value = try take(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: value) else { throw malformed("a number of \(value)") }
        return number
    }

    /// Four characters; what is not ASCII is shown as a point.
    mutating func takeName() throws(MovieError) -> String {
        String(decoding: try take(4).map { (0x20..<0x7F).contains($0) ? $0 : 0x2E }, as: UTF8.self)
    }

    mutating func takeVersionAndFlags() throws(MovieError) -> (version: Int, flags: Int) {
        let word = try take32()
        return (word >> 24, word & 0xFF_FFFF)
    }

    /// Takes the next box; `nil` at the end, where QuickTime allows four zeros to stand.
    mutating func takeBox() throws(MovieError) -> BoxReader? {
        if rest.isEmpty || rest.count == 4 && rest.allSatisfy({ $0 == 0 }) { return nil }
        let size = try take32()
        let name = try takeName()
        guard size >= 8 else { throw malformed("a box “\(name)” of \(size) bytes") }
        let place = place
        return BoxReader(try take(size - 8), offset: place, name: name)
    }

    /// The first box of that name among the boxes that are left.
    func first(_ wanted: String) throws(MovieError) -> BoxReader? {
        var boxes = self
        while let box = try boxes.takeBox() { if box.name == wanted { return box } }
        return nil
    }

    /// The first box of that name, which must be there.
    func only(_ wanted: String) throws(MovieError) -> BoxReader {
        guard let box = try first(wanted) else { throw malformed("no “\(wanted)” in it") }
        return box
    }
}
