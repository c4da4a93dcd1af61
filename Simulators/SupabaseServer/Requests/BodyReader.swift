import Transport

/// Pulls a body's chunks one at a time.
struct BodyReader {
    private enum Source {
        case bytes([UInt8]?)
        case stream(ByteStream.Iterator)
    }

    private var source: Source

    init(_ body: HTTPBody) {
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
    /// - Throws: `invalidRequest` when the client's connection breaks; nobody is left to read it.
    mutating func next() async throws(StorageFailure) -> [UInt8]? {
        switch source {
        case .bytes(let bytes):
            source = .bytes(nil)
            return bytes
        case .stream(var chunks):
            do {
                let chunk = try await chunks.next()
                source = .stream(chunks)
                return chunk
            } catch {
                throw StorageFailure.invalidRequest("request aborted")
            }
        }
    }
}
