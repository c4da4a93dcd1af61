internal import Glibc

/// Cuts the bytes of a stream into events, wherever they are cut themselves.
///
/// Source: the event stream format of the HTML standard, section 9.2.6, but for fields other than `data`, which are passed over. Where an event
/// could begin, a line that opens a JSON value without a field's name is such a value, and the last event: services report errors in the middle
/// of a stream so (Gemini does), and may leave the stream open after them.
struct ServerSentEvents {
    /// An event that is larger than is kept.
    struct Oversized: Error {
        let limit: Int
    }

    private let limit: Int
    /// What is left of a mark of byte order, which may stand at the beginning.
    private var mark = Self.byteOrderMark[...]
    /// The line that is being read; without its end.
    private var line: [UInt8] = []
    /// The data of the event that is being read; `nil` before its first line.
    private var data: [UInt8]?
    /// What came of a value without a field's name; `nil` where none has begun.
    private var bare: [UInt8]?
    private var extent = JSONExtent()
    private var endsWithReturn = false

    /// - Parameter limit: The most bytes of one event, and of a line.
    init(limit: Int) { self.limit = limit }

    /// Takes in more bytes, and adds the events that they complete, up to one that is too large.
    mutating func append(_ bytes: [UInt8], to events: inout [ServerSentEvent]) throws(Oversized) {
        var rest = bytes[...]
        dropMark(&rest)
        // Kept, so that a chunk whose lines end with the other byte alone is searched once.
        var nextFeed = -1
        while !rest.isEmpty, !extent.isWhole {
            if endsWithReturn {
                endsWithReturn = false
                if rest.first == Self.feed {
                    rest.removeFirst()
                    continue
                }
            }
            if bare != nil || opensValue(rest) {
                let count = extent.take(rest)
                try Self.extend(&bare, by: rest.prefix(count), limit: limit)
                if extent.isWhole, let bare { events.append(ServerSentEvent(data: bare)) }
                break
            }
            if nextFeed < rest.startIndex {
                nextFeed = Self.first(Self.feed, in: bytes, rest.startIndex..<bytes.count)
            }
            let end = Self.first(Self.carriageReturn, in: bytes, rest.startIndex..<nextFeed)
            guard line.count + end - rest.startIndex <= limit else { throw Oversized(limit: limit) }
            line += rest[rest.startIndex..<end]
            guard end < rest.endIndex else { break }
            endsWithReturn = rest[end] == Self.carriageReturn
            rest = rest[(end + 1)...]
            if let data = try takeLine() { events.append(ServerSentEvent(data: data)) }
        }
    }

    /// Returns what the end of the stream leaves: an event without its blank line, or a value that has no end.
    mutating func finish() throws(Oversized) -> ServerSentEvent? {
        if !line.isEmpty { _ = try takeLine() }
        guard !extent.isWhole, let data = bare ?? data else { return nil }
        return ServerSentEvent(data: data, isWhole: false)
    }

    /// Whether a JSON value begins where an event could.
    private func opensValue(_ rest: ArraySlice<UInt8>) -> Bool {
        line.isEmpty && data == nil && (rest.first == UInt8(ascii: "{") || rest.first == UInt8(ascii: "["))
    }

    /// Passes over a mark of byte order; what only begins like one is the beginning of a line.
    private mutating func dropMark(_ rest: inout ArraySlice<UInt8>) {
        while let next = mark.first, let byte = rest.first {
            guard byte == next else {
                line = Array(Self.byteOrderMark.dropLast(mark.count))
                mark = []
                return
            }
            mark.removeFirst()
            rest.removeFirst()
        }
    }

    private mutating func takeLine() throws(Oversized) -> [UInt8]? {
        defer { line.removeAll(keepingCapacity: true) }
        if line.isEmpty {
            defer { data = nil }
            return data
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
