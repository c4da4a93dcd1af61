import Glibc

/// Cuts the bytes of a stream into the documents that its events carry.
///
/// Source: the event stream format of the HTML standard, section 9.2.6, as far as Gemini uses it: fields other than `data`
/// are passed over. Where an event could begin, a line that opens a JSON value without a field's name begins a bare document,
/// which goes to the end of the stream: Gemini reports an error in the middle of a stream so.
struct ServerSentEvents {
    /// An event or a bare document that is larger than is kept.
    struct Oversized: Error {
        let limit: Int
    }

    private let limit: Int
    /// The line that is being read; without its end.
    private var line: [UInt8] = []
    /// The data of the event that is being read; `nil` before its first line.
    private var data: [UInt8]?
    /// What came since a bare document began; `nil` where none has.
    private var bare: [UInt8]?
    /// Of the bare document, or of the line that begins one.
    private var extent = JSONExtent()
    private var wasTaken = false
    private var endsWithReturn = false
    private var isFirstLine = true

    /// - Parameter limit: The most bytes of one event, and of a line.
    init(limit: Int) { self.limit = limit }

    /// The bare document once it is whole, though its line may lack an end and the stream stays open; once.
    mutating func takeBareDocument() -> [UInt8]? {
        guard extent.isWhole, !wasTaken else { return nil }
        wasTaken = true
        return bare ?? line
    }

    private var opensBareDocument: Bool {
        data == nil && (line.first == UInt8(ascii: "{") || line.first == UInt8(ascii: "["))
    }

    /// Takes in more bytes, cut anywhere, and returns the documents that they complete.
    mutating func append(_ bytes: [UInt8]) throws(Oversized) -> [[UInt8]] {
        var documents: [[UInt8]] = []
        var rest = bytes[...]
        // Kept, so that a chunk whose lines end with the other byte alone is searched once.
        var nextFeed = -1
        while !rest.isEmpty {
            if bare != nil {
                try Self.extend(&bare, by: rest, limit: limit)
                extent.take(rest)
                break
            }
            if endsWithReturn {
                endsWithReturn = false
                if rest.first == Self.feed {
                    rest.removeFirst()
                    continue
                }
            }
            if nextFeed < rest.startIndex {
                nextFeed = Self.first(Self.feed, in: bytes, rest.startIndex..<bytes.count)
            }
            let end = Self.first(Self.carriageReturn, in: bytes, rest.startIndex..<nextFeed)
            guard line.count + end - rest.startIndex <= limit else { throw Oversized(limit: limit) }
            line += rest[rest.startIndex..<end]
            if opensBareDocument { extent.take(rest[rest.startIndex..<end]) }
            guard end < rest.endIndex else { break }
            endsWithReturn = rest[end] == Self.carriageReturn
            rest = rest[(end + 1)...]
            if let document = try takeLine() { documents.append(document) }
        }
        return documents
    }

    /// What the end of the stream completes: an event without its blank line, or a bare document.
    mutating func finish() throws(Oversized) -> [[UInt8]] {
        if let bare { return [bare] }
        var documents: [[UInt8]] = []
        if !line.isEmpty, let document = try takeLine() { documents.append(document) }
        if let bare { return documents + [bare] }
        if let data { documents.append(data) }
        return documents
    }

    private mutating func takeLine() throws(Oversized) -> [UInt8]? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine, line.starts(with: Self.byteOrderMark) { line.removeFirst(3) }
        isFirstLine = false
        if line.isEmpty {
            defer { data = nil }
            return data
        }
        if opensBareDocument {
            bare = line + [Self.feed]
            // Again from its first bracket, which a mark of byte order may have hidden.
            extent = JSONExtent()
            extent.take(line[...])
            return nil
        }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        guard name.elementsEqual("data".utf8) else { return nil }
        var value = line[name.endIndex...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        if data != nil { try Self.extend(&data, by: [Self.feed], limit: limit) }
        try Self.extend(&data, by: value, limit: limit)
        return nil
    }

    /// In place: an event may have as many lines as bytes.
    private static func extend(
        _ begun: inout [UInt8]?,
        by more: ArraySlice<UInt8>,
        limit: Int
    ) throws(Oversized) {
        guard (begun?.count ?? 0) + more.count <= limit else { throw Oversized(limit: limit) }
        if begun == nil { begun = Array(more) } else { begun?.append(contentsOf: more) }
    }

    /// The place of a byte, or the end of the range.
    private static func first(_ byte: UInt8, in bytes: [UInt8], _ range: Range<Int>) -> Int {
        unsafe bytes.withUnsafeBytes { raw in
            guard let base = raw.baseAddress,
                let hit = unsafe memchr(base + range.lowerBound, Int32(byte), range.count)
            else { return range.upperBound }
            return unsafe base.distance(to: hit)
        }
    }

    private static let feed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
