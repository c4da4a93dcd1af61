public import Transport

/// Pulls a body's chunks one at a time.
public struct BodyReader {
    private enum Source {
        case bytes([UInt8]?)
        case stream(ByteStream.Iterator)
    }

    private var source: Source

    /// Takes the body.
    public init(_ body: HTTPBody) {
        source =
            switch body.readOnce {
            case .empty: .bytes(nil)
            case .bytes(let bytes): .bytes(bytes.isEmpty ? nil : bytes)
            case .stream(let stream, _): .stream(stream.makeAsyncIterator())
            // Which `readOnce` never gives.
            case .repeatable: .bytes(nil)
            }
    }

    /// The next chunk, or `nil` at the end.
    ///
    /// - Throws: What broke the stream.
    public mutating func next() async throws(TransportError) -> [UInt8]? {
        switch source {
        case .bytes(let bytes):
            source = .bytes(nil)
            return bytes
        case .stream(var chunks):
            let chunk = try await chunks.next()
            source = .stream(chunks)
            return chunk
        }
    }
}
