/// Byte strings that are looked for all at once, however many they are.
///
/// A search looks at the end of a window as long as the shortest and moves on as far as it can (Wu and Manber, 1994); what remains is found
/// by its first bytes and its length. Memory and the cost of a change grow with the bytes of the patterns, and hardly with their number.
struct SecretPatterns: Sendable {
    /// The bytes by which patterns are distinguished first; each of them has as many at least.
    static let prefixCount = 6
    private static let mostOfWindow = 200

    fileprivate struct Pattern {
        /// What stands in its place.
        var word: [UInt8]
        /// How often it was inserted.
        var count = 1
    }

    /// Patterns that begin alike.
    fileprivate struct Bucket {
        var patterns: [[UInt8]: Pattern] = [:]
        /// How many there are of each length, the longest first.
        var lengths: [(length: Int, count: Int)] = []
    }

    /// By their first bytes.
    private var buckets: [UInt64: Bucket] = [:]
    /// Whether a pattern begins, or ends, with two bytes; those of a removed one stay.
    private var begins = Pairs()
    private var ends = Pairs()
    /// The length of the shortest pattern.
    private var window = 0
    /// How far the search may move on, by the last two bytes of the window.
    private var shifts: [UInt8] = []
    /// The length of the longest pattern.
    private(set) var longest = 0

    /// A set of pairs of bytes.
    private struct Pairs {
        private var words: [UInt64] = []

        mutating func insert(_ first: UInt8, _ second: UInt8) {
            if words.isEmpty { words = [UInt64](repeating: 0, count: 1 << 10) }
            words[Int(first) << 2 | Int(second) >> 6] |= 1 << UInt64(second & 63)
        }

        func contains(_ first: UInt8, _ second: UInt8) -> Bool {
            !words.isEmpty && words[Int(first) << 2 | Int(second) >> 6] & 1 << UInt64(second & 63) != 0
        }
    }

    var isEmpty: Bool { buckets.isEmpty }

    // MARK: Changes

    /// Looks for one more, of at least ``prefixCount`` bytes.
    mutating func insert(_ bytes: [UInt8], word: [UInt8]) {
        let key = Self.key(bytes, at: 0)
        if buckets[key]?.patterns[bytes] != nil {
            buckets[key]?.patterns[bytes]?.count += 1
            return
        }
        buckets[key, default: Bucket()].insert(bytes, word)
        begins.insert(bytes[0], bytes[1])
        ends.insert(bytes[bytes.count - 2], bytes[bytes.count - 1])
        longest = max(longest, bytes.count)
        let least = min(bytes.count, Self.mostOfWindow)
        if window == 0 || least < window {
            window = least
            shifts = [UInt8](repeating: UInt8(window - 1), count: 1 << 16)
            for pattern in all { noteShifts(of: pattern) }
        } else {
            noteShifts(of: bytes)
        }
    }

    /// Looks for one no longer, once it was removed as often as it was inserted.
    mutating func remove(_ bytes: [UInt8]) {
        let key = Self.key(bytes, at: 0)
        guard let count = buckets[key]?.patterns[bytes]?.count else { return }
        if count > 1 {
            buckets[key]?.patterns[bytes]?.count -= 1
            return
        }
        buckets[key]?.remove(bytes)
        if buckets[key]?.patterns.isEmpty == true { buckets[key] = nil }
        if bytes.count == longest { longest = all.map(\.count).max() ?? 0 }
    }

    private var all: some Sequence<[UInt8]> { buckets.values.lazy.flatMap(\.patterns.keys) }

    private mutating func noteShifts(of pattern: [UInt8]) {
        for index in 0...(window - 2) {
            let pair = Int(pattern[index]) << 8 | Int(pattern[index + 1])
            shifts[pair] = min(shifts[pair], UInt8(window - 2 - index))
        }
    }

    private static func key(_ bytes: [UInt8], at start: Int) -> UInt64 {
        bytes[start..<start + prefixCount].reduce(0) { $0 << 8 | UInt64($1) }
    }

    // MARK: Searching

    /// Where patterns stand, in order, and what stands in their place.
    ///
    /// Of several that begin at one place it is the longest; of those that overlap, the first.
    func matches(in bytes: [UInt8]) -> [(range: Range<Int>, word: [UInt8])] {
        guard window > 0 else { return [] }
        var found: [(range: Range<Int>, word: [UInt8])] = []
        var start = 0
        while start + window <= bytes.count {
            let end = start + window
            let shift = shifts[Int(bytes[end - 2]) << 8 | Int(bytes[end - 1])]
            if shift > 0 {
                start += Int(shift)
            } else if let (count, word) = pattern(in: bytes, at: start) {
                found.append((start..<start + count, word))
                start += count
            } else {
                start += 1
            }
        }
        return found
    }

    private func pattern(in bytes: [UInt8], at start: Int) -> (count: Int, word: [UInt8])? {
        guard begins.contains(bytes[start], bytes[start + 1]),
            let bucket = buckets[Self.key(bytes, at: start)]
        else { return nil }
        for (length, _) in bucket.lengths where start + length <= bytes.count {
            if let found = bucket.patterns[Array(bytes[start..<start + length])] {
                return (length, found.word)
            }
        }
        return nil
    }

    /// How many of the last bytes are the beginning of a pattern, and not all of it.
    func openCount(_ bytes: [UInt8]) -> Int {
        for count in stride(from: min(bytes.count, longest - 1), to: 0, by: -1) {
            let start = bytes.count - count
            if count > 1, !begins.contains(bytes[start], bytes[start + 1]) { continue }
            let rest = bytes[start...]
            if count >= Self.prefixCount {
                let bucket = buckets[Self.key(bytes, at: start)]
                if bucket?.patterns.keys.contains(where: { $0.count > count && $0.starts(with: rest) })
                    == true
                {
                    return count
                }
            } else {
                let short = rest.reduce(0) { $0 << 8 | UInt64($1) }
                if buckets.keys.contains(where: { $0 >> UInt64(8 * (Self.prefixCount - count)) == short }) {
                    return count
                }
            }
        }
        return 0
    }

    /// How many of the first bytes are the end of a pattern, and not all of it.
    func restCount(_ bytes: [UInt8]) -> Int {
        for count in stride(from: min(bytes.count, longest - 1), to: 0, by: -1) {
            if count > 1, !ends.contains(bytes[count - 2], bytes[count - 1]) { continue }
            let first = bytes.prefix(count)
            if all.contains(where: { $0.count > count && $0.suffix(count).elementsEqual(first) }) {
                return count
            }
        }
        return 0
    }
}

extension SecretPatterns.Bucket {
    fileprivate mutating func insert(_ bytes: [UInt8], _ word: [UInt8]) {
        patterns[bytes] = SecretPatterns.Pattern(word: word)
        if let index = lengths.firstIndex(where: { $0.length == bytes.count }) {
            lengths[index].count += 1
        } else {
            let place = lengths.firstIndex { $0.length < bytes.count } ?? lengths.endIndex
            lengths.insert((bytes.count, 1), at: place)
        }
    }

    fileprivate mutating func remove(_ bytes: [UInt8]) {
        patterns[bytes] = nil
        guard let index = lengths.firstIndex(where: { $0.length == bytes.count }) else { return }
        lengths[index].count -= 1
        if lengths[index].count == 0 { lengths.remove(at: index) }
    }
}
