/// The body of a request or a response.
public enum HTTPBody: Sendable {
    case empty
    /// All bytes at once; sent with their length.
    case bytes([UInt8])
    /// Chunks as they come, which can be read once; sent with `length` when it is known, chunked otherwise.
    case stream(ByteStream, length: Int?)
    /// Chunks as they come, from their beginning each time; sent with `length` when it is known.
    ///
    /// Each call of `open` makes a stream of the same bytes.
    case repeatable(length: Int?, open: @Sendable () async throws(TransportError) -> ByteStream)

    /// A text body in UTF-8.
    public static func text(_ string: String) -> HTTPBody { .bytes(Array(string.utf8)) }

    /// The number of bytes, or `nil` when only reading will tell.
    public var length: Int? {
        switch self {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .stream(_, let length), .repeatable(let length, _): length
        }
    }

    /// Whether all of it can be read more than once.
    public var isRepeatable: Bool {
        if case .stream = self { false } else { true }
    }

    /// Its bytes from the beginning.
    ///
    /// - Throws: What `open` of a repeatable body throws.
    public func chunks() async throws(TransportError) -> ByteStream {
        switch self {
        case .empty: return .once([])
        case .bytes(let bytes): return .once(bytes)
        case .stream(let stream, _): return stream
        case .repeatable(_, let open): return try await open()
        }
    }

    /// The same body for one reader: what can be read again comes as a stream, opened when it is first read.
    package var readOnce: HTTPBody {
        guard case .repeatable(let length, let open) = self else { return self }
        return .stream(.opening(open), length: length)
    }

    /// Reads the whole body into memory.
    ///
    /// - Parameter limit: The most bytes to accept, so that a hostile peer cannot exhaust memory.
    /// - Throws: `tooLarge` past the limit, or whatever broke the stream.
    public func collect(upTo limit: Int) async throws(TransportError) -> [UInt8] {
        if let length, length > limit { throw Self.tooLarge(limit) }
        switch self {
        case .empty: return []
        case .bytes(let bytes): return bytes
        case .stream, .repeatable:
            var collected: [UInt8] = []
            collected.reserveCapacity(length ?? 0)
            for try await chunk in try await chunks() {
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
