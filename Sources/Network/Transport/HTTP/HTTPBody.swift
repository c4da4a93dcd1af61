/// The body of a request or a response.
public enum HTTPBody: Sendable {
    case empty
    /// All bytes at once; sent with their length.
    case bytes([UInt8])
    /// Chunks as they come; sent with `length` when it is known, chunked otherwise.
    case stream(ByteStream, length: Int?)

    /// A text body in UTF-8.
    public static func text(_ string: String) -> HTTPBody { .bytes(Array(string.utf8)) }

    /// The number of bytes, or `nil` when only reading will tell.
    public var length: Int? {
        switch self {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .stream(_, let length): length
        }
    }

    /// Reads the whole body into memory.
    ///
    /// - Parameter limit: The most bytes to accept, so that a hostile peer cannot exhaust memory.
    /// - Throws: `tooLarge` past the limit, or whatever broke the stream.
    public func collect(upTo limit: Int) async throws(TransportError) -> [UInt8] {
        switch self {
        case .empty: return []
        case .bytes(let bytes):
            if bytes.count > limit { throw Self.tooLarge(limit) }
            return bytes
        case .stream(let stream, let length):
            if let length, length > limit { throw Self.tooLarge(limit) }
            var collected: [UInt8] = []
            collected.reserveCapacity(length ?? 0)
            for try await chunk in stream {
                if collected.count + chunk.count > limit { throw Self.tooLarge(limit) }
                collected += chunk
            }
            return collected
        }
    }

    private static func tooLarge(_ limit: Int) -> TransportError {
        TransportError(.tooLarge, operation: "read body", peer: "peer", detail: "more than \(limit) bytes")
    }
}
