import Services

/// Finds a key in bytes that go by, and puts as many asterisks in its place: what has a length keeps it.
///
/// The key is found as it is, percent-encoded as in addresses, escaped as in JSON, and in any mixture of these; also where it is
/// cut over pieces. Bytes that may be the beginning of a key are held back until the next piece, at most six for each of its
/// characters.
struct KeyMask {
    private enum Match {
        case none
        /// The bytes end before it is decided.
        case open
        case found(end: Int)
    }

    private let key: [UInt8]
    private var held: [UInt8] = []

    init(_ key: Secret) { self.key = Array(key.reveal().utf8) }

    /// The bytes of a piece and those held back before, as far as they are decided.
    mutating func take(_ piece: [UInt8]) -> [UInt8] {
        masked(held.isEmpty ? piece : held + piece, isEnd: false)
    }

    /// What is held back, once nothing follows.
    mutating func end() -> [UInt8] { masked(held, isEnd: true) }

    /// A whole text without the key.
    func masked(_ text: String) -> String {
        var mask = self
        return String(decoding: mask.masked(Array(text.utf8), isEnd: true), as: UTF8.self)
    }

    /// Whole bytes without the key.
    func masked(_ bytes: [UInt8]) -> [UInt8] {
        var mask = self
        return mask.masked(bytes, isEnd: true)
    }

    private mutating func masked(_ bytes: [UInt8], isEnd: Bool) -> [UInt8] {
        held = []
        guard let first = key.first else { return bytes }
        var bytes = bytes
        var start = 0
        while start < bytes.count {
            let byte = bytes[start]
            guard byte == first || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") else {
                start += 1
                continue
            }
            switch match(at: start, in: bytes) {
            case .found(let end):
                for place in start..<end { bytes[place] = UInt8(ascii: "*") }
                start = end
            case .open where !isEnd:
                held = Array(bytes[start...])
                return Array(bytes[..<start])
            case .open, .none: start += 1
            }
        }
        return bytes
    }

    private func match(at start: Int, in bytes: [UInt8]) -> Match {
        // Where the next character of the key would begin; a character that opens an escape may also stand for itself.
        var places = [start]
        var isOpen = false
        for character in key {
            var next: [Int] = []
            for place in places {
                guard place < bytes.count else {
                    isOpen = true
                    continue
                }
                if bytes[place] == character { next.append(place + 1) }
                guard let length = Self.escapeLength(at: place, in: bytes) else { continue }
                if place + length > bytes.count {
                    isOpen = true
                } else if Self.unescaped(bytes[place..<place + length]) == character {
                    next.append(place + length)
                }
            }
            if next.isEmpty { return isOpen ? .open : .none }
            places = next
        }
        return places.max().map { .found(end: $0) } ?? .none
    }

    /// Bytes of the escape that begins at a place; `nil` where none does.
    private static func escapeLength(at place: Int, in bytes: [UInt8]) -> Int? {
        switch bytes[place] {
        case UInt8(ascii: "%"): return 3
        case UInt8(ascii: "\\"):
            guard place + 1 < bytes.count else { return 2 }
            return bytes[place + 1] == UInt8(ascii: "u") ? 6 : 2
        default: return nil
        }
    }

    private static func unescaped(_ escape: ArraySlice<UInt8>) -> UInt8? {
        let digits = escape.dropFirst(escape.count == 6 ? 2 : 1)
        if escape.count == 2 { return digits.first }
        return Int(String(decoding: digits, as: UTF8.self), radix: 16).flatMap { UInt8(exactly: $0) }
    }
}
