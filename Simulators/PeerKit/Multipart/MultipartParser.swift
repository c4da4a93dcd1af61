/// Takes `multipart/form-data` apart as it streams in, holding no more of a part than a delimiter's length.
///
/// Source: RFC 7578, RFC 2046 section 5.1.1; texts of refusals as of the busboy parser that the service uses.
public struct MultipartParser: Sendable {
    /// What the bytes so far completed.
    public enum Event: Sendable, Hashable {
        /// A part begins.
        case part(MultipartHead)
        /// Bytes of the part.
        case bytes([UInt8])
        /// The part ends.
        case partEnd
        /// The form ends; what follows is ignored.
        case end
    }

    /// Why bytes are no form.
    public struct Malformed: Error, Sendable, Hashable {
        /// What is wrong, in the words of the busboy parser.
        public let text: String
    }

    /// RFC 2046: at most 70 characters.
    public static let boundaryLengthMaximum: Int = 70
    /// Bytes of a part's head.
    public static let headLengthMaximum: Int = 16_384
    /// Bytes before the first delimiter that are tolerated.
    public static let preambleLengthMaximum: Int = 8192

    private enum State {
        case preamble, delimiter, head, content, end
    }

    private static let blankLine: [UInt8] = [13, 10, 13, 10]

    private var state = State.preamble
    /// Begins as if after a line end, so that the first delimiter looks like all others.
    private var buffer: [UInt8] = [13, 10]
    private var preambleLength = 0
    private let delimiter: [UInt8]

    /// Takes the delimiter, without its dashes.
    public init(boundary: String) throws(Malformed) {
        guard (1...Self.boundaryLengthMaximum).contains(boundary.utf8.count) else {
            throw Malformed(text: "Multipart: Boundary not found")
        }
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// Takes the next bytes, and tells what they completed.
    public mutating func feed(_ chunk: [UInt8]) throws(Malformed) -> [Event] {
        if state == .end { return [] }
        buffer += chunk
        var events: [Event] = []
        var start = 0
        while try step(from: &start, &events) {}
        buffer.removeFirst(start)
        return events
    }

    /// Tells that no more bytes come.
    public func finish() throws(Malformed) {
        if state != .end { throw Malformed(text: "Unexpected end of form") }
    }

    /// Advances over one element, or returns whether more bytes are needed for it as `false`.
    private mutating func step(from start: inout Int, _ events: inout [Event]) throws(Malformed) -> Bool {
        switch state {
        case .end:
            start = buffer.count
            return false
        case .preamble, .content:
            return try content(from: &start, &events)
        case .delimiter:
            // Blanks may pad the line.
            while start < buffer.count, buffer[start] == 32 || buffer[start] == 9 { start += 1 }
            guard buffer.count >= start + 2 else { return false }
            switch (buffer[start], buffer[start + 1]) {
            case (45, 45):
                state = .end
                events.append(.end)
            case (13, 10): state = .head
            default: throw Malformed(text: "Malformed part header")
            }
            if state == .head { return true }
            start = buffer.count
            return false
        case .head:
            return try head(from: &start, &events)
        }
    }

    private mutating func content(
        from start: inout Int,
        _ events: inout [Event]
    ) throws(Malformed) -> Bool {
        let found = buffer.position(of: delimiter, from: start)
        let end = found ?? max(start, buffer.count - delimiter.count + 1)
        if state == .content {
            if end > start { events.append(.bytes(Array(buffer[start..<end]))) }
            if found != nil { events.append(.partEnd) }
        } else {
            preambleLength += end - start
            if preambleLength > Self.preambleLengthMaximum { throw Malformed(text: "Unexpected end of form") }
        }
        start = end
        guard found != nil else { return false }
        start += delimiter.count
        state = .delimiter
        return true
    }

    /// The head begins with the line end of its delimiter, so that an empty one ends in a blank line too.
    private mutating func head(from start: inout Int, _ events: inout [Event]) throws(Malformed) -> Bool {
        guard let end = buffer.position(of: Self.blankLine, from: start) else {
            if buffer.count - start > Self.headLengthMaximum {
                throw Malformed(text: "Malformed part header")
            }
            return false
        }
        guard end - start <= Self.headLengthMaximum, let head = MultipartHead(buffer[start..<end]) else {
            throw Malformed(text: "Malformed part header")
        }
        events.append(.part(head))
        start = end + Self.blankLine.count
        state = .content
        return true
    }
}

extension [UInt8] {
    /// Where a pattern that begins with a carriage return first occurs.
    fileprivate func position(of pattern: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + pattern.count <= count {
            guard let next = self[index...].firstIndex(of: pattern[0]), next + pattern.count <= count else {
                return nil
            }
            if self[next..<(next + pattern.count)].elementsEqual(pattern) { return next }
            index = next + 1
        }
        return nil
    }
}
