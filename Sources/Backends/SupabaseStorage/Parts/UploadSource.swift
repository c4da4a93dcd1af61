import Crypto
public import Transport

/// The bytes of an object that is uploaded in parts, each of which may be read more than once.
public struct UploadSource: Sendable {
    /// Bytes of all of it.
    public let size: Int
    private let read: @Sendable (Range<Int>) throws(TransportError) -> HTTPBody

    /// Bytes in memory.
    public init(_ bytes: [UInt8]) {
        size = bytes.count
        read = { range throws(TransportError) in .bytes(Array(bytes[range])) }
    }

    /// A file, which is read while it is sent, and must not change meanwhile.
    ///
    /// - Throws: `protocolViolation` when it cannot be opened, or is not a regular file.
    public init(file path: String) throws(TransportError) {
        size = try HTTPBody.file(path).length ?? 0
        read = { range throws(TransportError) in try HTTPBody.file(path, range: range) }
    }

    /// A part of it.
    func body(_ range: Range<Int>) throws(TransportError) -> HTTPBody { try read(range) }

    /// SHA-256 of all of it, in hexadecimal.
    func digest() async throws(TransportError) -> String {
        var digest = SHA256()
        for try await chunk in try await read(0..<size).chunks() { digest.update(data: chunk) }
        return digest.finalize().map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
