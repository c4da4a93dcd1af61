/// Hashes of all beginnings of a text, from which the hash of any part of it follows at once (Karp and Rabin, 1987).
struct PrefixHashes {
    /// A Mersenne prime, which makes the rest of a division cheap.
    private static let prime: UInt64 = (1 << 61) - 1
    /// Another one in each process, so that nobody prepares texts of equal hashes.
    ///
    /// Nothing but time depends on it.
    private static let base = UInt64(Hasher().finalize().magnitude) % (prime - 1_000) + 500

    private let start: Int
    private var hashes: [UInt64] = [0]
    private var powers: [UInt64] = [1]

    /// Hashes all beginnings.
    init(_ text: ArraySlice<UInt8>) {
        start = text.startIndex
        hashes.reserveCapacity(text.count + 1)
        powers.reserveCapacity(text.count + 1)
        for (index, byte) in text.enumerated() {
            hashes.append(Self.next(hashes[index], byte))
            powers.append(Self.product(powers[index], Self.base))
        }
    }

    /// The hash of a part: that of ``hash(of:)`` for its bytes.
    subscript(_ range: Range<Int>) -> UInt64 {
        let before = Self.product(hashes[range.lowerBound - start], powers[range.count])
        let whole = hashes[range.upperBound - start]
        return whole >= before ? whole - before : whole + Self.prime - before
    }

    /// The hash of a whole text.
    static func hash(of text: [UInt8]) -> UInt64 { text.reduce(0, next) }

    /// Whether a part lies in the text.
    func has(_ range: Range<Int>) -> Bool {
        range.lowerBound >= start && range.upperBound < start + hashes.count
    }

    private static func next(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
        let sum = product(hash, base) + UInt64(byte) + 1
        return sum >= prime ? sum - prime : sum
    }

    private static func product(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (high, low) = a.multipliedFullWidth(by: b)
        let sum = (low & prime) + (low >> 61 | high << 3)
        return sum >= prime ? sum - prime : sum
    }
}
