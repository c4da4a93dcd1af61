import Crypto
import PeerKit

/// A checksum that a client sends, or wants to be kept.
///
/// Source: AWS, "Checking object integrity" (user guide of S3).
enum ChecksumAlgorithm: String, Sendable, CaseIterable, Codable {
    case crc32 = "CRC32"
    case crc32c = "CRC32C"
    case crc64 = "CRC64NVME"
    case sha1 = "SHA1"
    case sha256 = "SHA256"

    /// The header field of its value: `x-amz-checksum-crc32`.
    var field: String { "x-amz-checksum-\(rawValue.lowercased())" }
    /// The element of its value: `ChecksumCRC32`.
    var element: String { "Checksum\(rawValue)" }
    /// Bytes of its value.
    var length: Int {
        switch self {
        case .crc32, .crc32c: 4
        case .crc64: 8
        case .sha1: 20
        case .sha256: 32
        }
    }

    init?(field: String) {
        guard let known = Self.allCases.first(where: { $0.field == field.lowercased() }) else { return nil }
        self = known
    }

    /// Of all bytes at once.
    func value(of bytes: [UInt8]) -> [UInt8] {
        var running = RunningChecksum(self)
        running.update(bytes)
        return running.value
    }
}

/// A checksum as an object has it.
struct Checksum: Sendable, Hashable, Codable {
    /// Whether it is of all bytes, or of the checksums of parts.
    enum Kind: String, Sendable, Codable {
        case fullObject = "FULL_OBJECT"
        case composite = "COMPOSITE"
    }

    let algorithm: ChecksumAlgorithm
    /// In base64; behind it the number of parts of a composite one.
    let value: String
    let kind: Kind
}

/// A checksum of bytes that come in pieces.
struct RunningChecksum: Sendable {
    private enum State: Sendable {
        case cyclic(CyclicChecksum)
        case sha1(Insecure.SHA1)
        case sha256(SHA256)
    }

    private var state: State

    init(_ algorithm: ChecksumAlgorithm) {
        state =
            switch algorithm {
            case .crc32: .cyclic(CyclicChecksum(.iso))
            case .crc32c: .cyclic(CyclicChecksum(.castagnoli))
            case .crc64: .cyclic(CyclicChecksum(.nvme))
            case .sha1: .sha1(Insecure.SHA1())
            case .sha256: .sha256(SHA256())
            }
    }

    mutating func update(_ bytes: [UInt8]) {
        switch state {
        case .cyclic(var check):
            check.update(bytes)
            state = .cyclic(check)
        case .sha1(var digest):
            digest.update(data: bytes)
            state = .sha1(digest)
        case .sha256(var digest):
            digest.update(data: bytes)
            state = .sha256(digest)
        }
    }

    var value: [UInt8] {
        switch state {
        case .cyclic(let check): check.bytes
        case .sha1(let digest): Array(digest.finalize())
        case .sha256(let digest): Array(digest.finalize())
        }
    }
}
