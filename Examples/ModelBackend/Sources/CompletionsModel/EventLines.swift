/// Cuts the bytes of an event stream into the data of its events.
///
/// An event of this interface is one line, `data: {…}`; other lines are comments, which keep the connection alive, or empty. Bytes
/// are collected up to the end of a line before anything is decoded, so that it does not matter where chunks are cut, even
/// inside a character.
struct EventLines {
    /// A line that is longer than is kept.
    struct TooLong: Error {
        let limit: Int
    }

    private let limit: Int
    private var line: [UInt8] = []

    /// - Parameter limit: The most bytes of a line.
    init(limit: Int) { self.limit = limit }

    /// Takes in more bytes, and returns the data of the lines that they complete.
    mutating func append(_ bytes: [UInt8]) throws(TooLong) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try extend(by: rest[..<end])
            if let data = finish() { found.append(data) }
            rest = rest[(end + 1)...]
        }
        try extend(by: rest)
        return found
    }

    /// The data of the last line, which may have no end.
    mutating func finish() -> [UInt8]? {
        defer { line.removeAll(keepingCapacity: true) }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard line.starts(with: "data:".utf8) else { return nil }
        return Array(line.dropFirst("data:".utf8.count).drop { $0 == UInt8(ascii: " ") })
    }

    private mutating func extend(by more: ArraySlice<UInt8>) throws(TooLong) {
        guard line.count + more.count <= limit else { throw TooLong(limit: limit) }
        line += more
    }
}
