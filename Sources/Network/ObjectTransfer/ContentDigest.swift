internal import Crypto

/// SHA-256 of content that is read piece by piece.
public struct ContentDigest {
    private var hash = SHA256()

    /// The digest of nothing.
    public init() {}

    /// Takes the next piece.
    public mutating func add(_ piece: [UInt8]) { hash.update(data: piece) }

    /// The digest of all pieces, in hexadecimal.
    public var text: String {
        hash.finalize().map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
