internal import Crypto

/// SHA-256 of content that is read piece by piece.
package struct ContentDigest {
    private var hash = SHA256()

    package init() {}

    /// Takes the next piece.
    package mutating func add(_ piece: [UInt8]) { hash.update(data: piece) }

    /// The digest of all pieces, in hexadecimal.
    package var text: String {
        hash.finalize().map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
