internal import Crypto

/// The signatures of the chunks of one body: each signs its chunk and the signature before it.
///
/// Source: AWS, "Signature Calculations for the Authorization Header: Transferring Payload in Multiple Chunks", and the same
/// with trailing headers (API reference of S3).
public struct ChunkSignatures: Sendable {
    private static let emptyHash = Hexadecimal.encode(SHA256.hash(data: [UInt8]()))

    private var last: String
    private let key: SigningKey
    private let time: SigningTime

    /// Begins behind the signature of the request.
    public init(after signature: String, key: SigningKey, time: SigningTime) {
        (last, self.key, self.time) = (signature, key, time)
    }

    /// The signature of the next chunk.
    ///
    /// - Parameter hash: The chunk's SHA-256, in hexadecimal.
    public mutating func next(hash: String) -> String {
        last = key.sign(
            "AWS4-HMAC-SHA256-PAYLOAD\n\(time)\n\(key.scope)\n\(last)\n\(Self.emptyHash)\n\(hash)"
        )
        return last
    }

    /// The signature of the trailer.
    ///
    /// - Parameter fields: Names in small letters and values, each line ended by one line feed.
    public mutating func trailer(_ fields: String) -> String {
        let hash = Hexadecimal.encode(SHA256.hash(data: Array(fields.utf8)))
        last = key.sign("AWS4-HMAC-SHA256-TRAILER\n\(time)\n\(key.scope)\n\(last)\n\(hash)")
        return last
    }
}
