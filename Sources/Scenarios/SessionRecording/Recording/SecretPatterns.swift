/// Byte strings that are looked for all at once, however many they are.
///
/// A search looks at the end of a window as long as the shortest and moves on as far as it can (Wu and Manber, 1994); what remains is found
/// by its first bytes, its length and its hash. Memory and the cost of a change grow with the bytes of the patterns, and hardly with their
/// number; that of a search grows with how many lengths the patterns have that begin alike, where such a beginning stands.
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
        /// How many patterns have a hash; bytes with another one are none of them.
        var hashes: [UInt64: Int] = [:]
        /// How many there are of each length, the longest first.
        var lengths: [(length: Int, count: Int)] = []
    }

    /// By their first bytes.
    private var buckets: [UInt64: Bucket] = [:]
    /// Whether a pattern begins with two bytes; those of a removed one stay.
    private var begins = Pairs()
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
        var hashes: PrefixHashes?
        var start = 0
        while start + window <= bytes.count {
            let end = start + window
            let shift = shifts[Int(bytes[end - 2]) << 8 | Int(bytes[end - 1])]
            if shift > 0 {
                start += Int(shift)
            } else if let (count, word) = pattern(in: bytes, at: start, &hashes) {
                found.append((start..<start + count, word))
                start += count
            } else {
                start += 1
            }
        }
        return found
    }

    /// Of a large message, hashes are made for a part at a time.
    private var hashedAtOnce: Int { max(1 << 16, 2 * longest) }

    /// - Parameter hashes: Those of some of the bytes, made again for a place that is not among them.
    private func pattern(
        in bytes: [UInt8],
        at start: Int,
        _ hashes: inout PrefixHashes?
    ) -> (count: Int, word: [UInt8])? {
        guard begins.contains(bytes[start], bytes[start + 1]),
            let bucket = buckets[Self.key(bytes, at: start)]
        else { return nil }
        for (length, _) in bucket.lengths where start + length <= bytes.count {
            let range = start..<start + length
            if hashes?.has(range) != true { hashes = PrefixHashes(bytes[start...].prefix(hashedAtOnce)) }
            guard let hash = hashes?[range], bucket.hashes[hash] != nil else { continue }
            if let found = bucket.patterns[Array(bytes[range])] { return (length, found.word) }
        }
        return nil
    }

    /// How many of the last bytes are the beginning of a pattern, and not all of it.
    func openCount(_ bytes: [UInt8]) -> Int {
        if isEmpty { return 0 }
        var begun: Set<UInt64> = []
        for start in max(0, bytes.count - longest + 1)..<max(0, bytes.count - Self.prefixCount + 1)
        where begins.contains(bytes[start], bytes[start + 1]) {
            let key = Self.key(bytes, at: start)
            if buckets[key] != nil { begun.insert(key) }
        }
        var most = 0
        for pattern in begun.lazy.compactMap({ buckets[$0] }).flatMap(\.patterns.keys)
        where pattern.count - 1 > most {
            let end = bytes.suffix(pattern.count - 1)
            most = max(most, Beginning(pattern).count(atEndOf: end))
        }
        if most >= Self.prefixCount { return most }
        for count in stride(from: min(bytes.count, Self.prefixCount - 1), to: most, by: -1) {
            let short = bytes.suffix(count).reduce(0) { $0 << 8 | UInt64($1) }
            if buckets.keys.contains(where: { $0 >> UInt64(8 * (Self.prefixCount - count)) == short }) {
                return count
            }
        }
        return most
    }

    /// How many of the first bytes are the end of a pattern, and not all of it.
    func restCount(_ bytes: [UInt8]) -> Int {
        let first = Beginning(bytes.prefix(max(0, longest - 1)))
        return all.reduce(0) { max($0, first.count(atEndOf: $1.dropFirst())) }
    }
}

extension SecretPatterns.Bucket {
    fileprivate mutating func insert(_ bytes: [UInt8], _ word: [UInt8]) {
        patterns[bytes] = SecretPatterns.Pattern(word: word)
        hashes[PrefixHashes.hash(of: bytes), default: 0] += 1
        if let index = lengths.firstIndex(where: { $0.length == bytes.count }) {
            lengths[index].count += 1
        } else {
            let place = lengths.firstIndex { $0.length < bytes.count } ?? lengths.endIndex
            lengths.insert((bytes.count, 1), at: place)
        }
    }

    fileprivate mutating func remove(_ bytes: [UInt8]) {
        patterns[bytes] = nil
        let hash = PrefixHashes.hash(of: bytes)
        hashes[hash] = hashes[hash].flatMap { $0 > 1 ? $0 - 1 : nil }
        guard let index = lengths.firstIndex(where: { $0.length == bytes.count }) else { return }
        lengths[index].count -= 1
        if lengths[index].count == 0 { lengths.remove(at: index) }
    }
}
