internal import Crypto

/// What a signature says of the body, as `x-amz-content-sha256` writes it.
public enum SignedPayload: Sendable, Hashable {
    /// The body's SHA-256 in hexadecimal.
    case hash(String)
    /// Nothing: the body may be any.
    case unsigned
    /// The body comes in chunks of `aws-chunked`.
    case chunked(Chunks)

    /// What the chunks of a body carry.
    public enum Chunks: String, Sendable, Hashable {
        /// A signature each.
        case signed = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
        /// A signature each, and a signed trailer behind the last.
        case signedWithTrailer = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
        /// No signatures, and a trailer behind the last.
        case unsignedWithTrailer = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"

        /// Whether each chunk has a signature.
        public var areSigned: Bool { self != .unsignedWithTrailer }
        /// Whether header fields follow the last chunk.
        public var haveTrailer: Bool { self != .signed }
    }

    private static let unsignedText = "UNSIGNED-PAYLOAD"

    /// Reads the field's value, or returns `nil` when it is none that is known.
    public init?(_ text: String) {
        if text == Self.unsignedText {
            self = .unsigned
        } else if let chunks = Chunks(rawValue: text) {
            self = .chunked(chunks)
        } else if text.utf8.count == 64, text.utf8.allSatisfy(Hexadecimal.isDigit) {
            self = .hash(text)
        } else {
            return nil
        }
    }

    /// The hash of a body that is known.
    public static func of(_ body: [UInt8]) -> SignedPayload {
        .hash(Hexadecimal.encode(SHA256.hash(data: body)))
    }

    /// The field's value.
    public var text: String {
        switch self {
        case .hash(let text): text
        case .unsigned: Self.unsignedText
        case .chunked(let chunks): chunks.rawValue
        }
    }
}

/// Digits of hashes.
enum Hexadecimal {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a byte is a digit as hashes are written.
    static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
