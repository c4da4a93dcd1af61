import PeerKit

/// Identifiers whose order says nothing: a client that sorts by them, or reads a number out of them, is wrong at once.
enum OpaqueID {
    /// The identifier of the thing with a number among those of its kind.
    static func text(_ kind: String, _ number: Int) -> String {
        // FNV-1a, which is the same in every process.
        let seed = kind.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var numbers = SeededNumbers(seed: seed ^ UInt64(truncatingIfNeeded: number))
        let bits = numbers.next()
        return
            "\(kind)_\(Hexadecimal.encode((0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }))"
    }
}
