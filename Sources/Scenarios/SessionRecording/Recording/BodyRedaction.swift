import Glibc

/// Keeps credentials out of the bytes of bodies and messages by the names under which they stand.
///
/// Members of JSON objects, and items of queries wherever a URL stands in a text. The bytes of one flow are passed one
/// chunk after the other, cut anywhere; what is no text passes unchanged, but for what looks like a credential in it.
struct BodyRedaction: Sendable {
    private enum State {
        case plain
        /// Inside a string, which may be the name of a member; `nil` when it is too long for one of ours.
        case string([UInt8]?, isEscaped: Bool)
        case behindName
        case behindColon
        /// Inside the value of a secret member.
        case secret([UInt8], isEscaped: Bool)
    }

    /// The name of an item of a query, as far as it has come; `nil` outside one.
    private var item: [UInt8]?
    /// The value of a secret item, which goes on.
    private var hidden: [UInt8]?
    private var state = State.plain
    /// Whether each byte of a value is overwritten in its place, so that nothing else moves.
    private let isInPlace: Bool
    /// Values that were found since they were last taken, without members that have a word.
    private(set) var found: [String] = []

    /// Members whose values are credentials, in lowercase.
    ///
    /// `handle` and `newHandle` resume a session of Gemini Live.
    private static let members: Set<[UInt8]> = Set(
        [
            "access_token", "refresh_token", "id_token", "token", "provider_token", "provider_refresh_token",
            "accesstoken", "refreshtoken", "idtoken", "newhandle", "handle", "password", "client_secret",
            "apikey", "api_key",
        ].map { Array($0.utf8) }
    )
    private static let items = Set(Redaction.queryItems.map { Array($0.utf8) })
    /// Longer than any name.
    private static let mostOfName = 32
    /// Bytes of a value that are learned; longer ones are hidden and not looked for elsewhere.
    private static let mostOfValue = 16 << 10
    /// Shorter values are hidden where they stand, and may be ordinary words elsewhere.
    private static let leastLearned = 12
    private static let word = Array(Redaction.word.utf8)

    /// - Parameter isInPlace: Whether each byte of a value is overwritten in its place, and no word put there.
    init(isInPlace: Bool = false) { self.isInPlace = isInPlace }

    /// A whole text without credentials.
    static func redacted(_ text: [UInt8]) -> [UInt8] {
        var redaction = BodyRedaction()
        return redaction.pass(text) { _ in Redaction.word }
    }

    /// Returns a chunk without credentials.
    ///
    /// The word of an item stands in the chunk in which its value begins, that of a member in the one in which it ends.
    ///
    /// - Parameters:
    ///   - chunk: The next bytes of the flow.
    ///   - word: What stands in the place of a member's value; it is not called for one that is overwritten in its place, or not looked for elsewhere.
    mutating func pass(_ chunk: [UInt8], word: (_ value: String) -> String) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(chunk.count)
        var marks = Marks()
        var index = 0
        while index < chunk.count {
            if isIdle {
                let mark = marks.next(in: chunk, from: index)
                out += chunk[index..<mark]
                index = mark
                if index == chunk.count { break }
            }
            let byte = chunk[index]
            index += 1
            if hides(byte, &out, word) { continue }
            advance(byte)
            out.append(byte)
        }
        return out
    }

    /// Whether no byte changes anything before the next mark: most of a picture, and of a long string.
    private var isIdle: Bool {
        guard item == nil, hidden == nil else { return false }
        return switch state {
        case .plain, .string(nil, isEscaped: false): true
        default: false
        }
    }

    /// The bytes with which something begins or ends, and where the next of each stands in a chunk.
    private struct Marks {
        private static let bytes = Array("\"\\?&".utf8)
        private var places = [Int](repeating: -1, count: Self.bytes.count)

        /// Returns the place of the next mark at or after `index`, or the end of the chunk.
        ///
        /// A whole chunk costs one look at each of its bytes for each mark.
        mutating func next(in chunk: [UInt8], from index: Int) -> Int {
            var next = chunk.count
            for mark in places.indices {
                if places[mark] < index { places[mark] = Self.find(Self.bytes[mark], in: chunk, from: index) }
                next = min(next, places[mark])
            }
            return next
        }

        private static func find(_ byte: UInt8, in chunk: [UInt8], from index: Int) -> Int {
            unsafe chunk.withUnsafeBytes { raw in
                guard let base = raw.baseAddress,
                    let hit = unsafe memchr(base + index, Int32(byte), raw.count - index)
                else { return raw.count }
                return unsafe base.distance(to: hit)
            }
        }
    }

    /// Takes the values that were found.
    mutating func takeFound() -> [String] {
        defer { found = [] }
        return found
    }

    /// Whether a byte belongs to a value, and is left out or written here.
    private mutating func hides(
        _ byte: UInt8,
        _ out: inout [UInt8],
        _ word: (_ value: String) -> String
    ) -> Bool {
        if case .secret(var value, let isEscaped) = state {
            if byte == UInt8(ascii: "\""), !isEscaped {
                if isInPlace {
                    learn(value)
                } else if Self.isLookedFor(value) {
                    out += Array(word(Self.unescaped(value)).utf8)
                } else if !value.isEmpty, value.count <= Self.mostOfValue {
                    out += Self.word
                }
                state = .plain
                // It ends a string, and begins none.
                out.append(byte)
                return true
            }
            // Of an endless value the word stands where it has become too long.
            if isInPlace || value.count == Self.mostOfValue { conceal(isFirst: true, &out) }
            state = .plain  // so that the value is not copied for each of its bytes
            if value.count <= Self.mostOfValue { value.append(byte) }
            state = .secret(value, isEscaped: byte == UInt8(ascii: "\\") && !isEscaped)
            return true
        }
        if var value = hidden {
            if Self.endsItem(byte) {
                learn(value)
                hidden = nil
                return false
            }
            conceal(isFirst: value.isEmpty, &out)
            hidden = nil
            if value.count <= Self.mostOfValue { value.append(byte) }
            hidden = value
            return true
        }
        return false
    }

    /// Writes what stands in the place of a byte of a value.
    private func conceal(isFirst: Bool, _ out: inout [UInt8]) {
        if isInPlace {
            out.append(UInt8(ascii: "*"))
        } else if isFirst {
            out += Self.word
        }
    }

    private mutating func advance(_ byte: UInt8) {
        switch state {
        case .string(let name, true): state = .string(longer(name, byte), isEscaped: false)
        case .string(let name, false):
            switch byte {
            case UInt8(ascii: "\\"): state = .string(nil, isEscaped: true)
            case UInt8(ascii: "\""): state = name.map(Self.members.contains) == true ? .behindName : .plain
            default: state = .string(longer(name, byte), isEscaped: false)
            }
        case .behindName:
            if !Self.isBlank(byte) { state = byte == UInt8(ascii: ":") ? .behindColon : Self.start(byte) }
        case .behindColon:
            if byte == UInt8(ascii: "\"") {
                state = .secret([], isEscaped: false)
            } else if !Self.isBlank(byte) {
                state = .plain
            }
        case .plain, .secret: state = Self.start(byte)
        }
        advanceItem(byte)
    }

    private mutating func advanceItem(_ byte: UInt8) {
        if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "&") {
            item = []
        } else if let name = item {
            if byte == UInt8(ascii: "="), Self.items.contains(name) { hidden = [] }
            item = Self.endsName(byte) || name.count > Self.mostOfName ? nil : name + [Self.lowercase(byte)]
        }
    }

    // MARK: Values

    private mutating func learn(_ value: [UInt8]) {
        if Self.isLookedFor(value) { found.append(Self.unescaped(value)) }
    }

    private static func isLookedFor(_ value: [UInt8]) -> Bool {
        (leastLearned...mostOfValue).contains(value.count) && value != word
    }

    private static func unescaped(_ value: [UInt8]) -> String {
        String(decoding: value, as: UTF8.self).replacing("\\/", with: "/").replacing("\\\"", with: "\"")
            .replacing("\\\\", with: "\\")
    }

    // MARK: Bytes

    private func longer(_ name: [UInt8]?, _ byte: UInt8) -> [UInt8]? {
        guard let name, name.count < Self.mostOfName else { return nil }
        return name + [Self.lowercase(byte)]
    }

    private static func start(_ byte: UInt8) -> State {
        byte == UInt8(ascii: "\"") ? .string([], isEscaped: false) : .plain
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(byte) }

    private static func endsName(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "=") || endsItem(byte) }

    /// What cannot stand in a value of a query, or ends the text in which the URL stands.
    private static func endsItem(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte >= 0x7f || ending.contains(byte)
    }

    private static let ending = Set("&#\"'<>\\,;)]}".utf8)
}
