import Transport

/// Sends a body in chunks.
struct BodyWriter {
    /// The most bytes of one chunk: what a record of TLS takes four of, and a socket's buffer holds several.
    static let chunkBytes = 64 * 1024

    enum Outcome {
        case complete
        /// The connection has ended, or the task was cancelled.
        case stopped
        /// The body itself failed.
        case failed(TransportError)
    }

    let connection: Connection
    let side: Side
    let peer: String
    /// Notes how far the body has come.
    var progress: UploadProgress?

    func write(_ body: HTTPBody) async -> Outcome {
        var sent = 0
        switch body {
        case .empty: break
        case .bytes(let bytes):
            guard await send(bytes) else { return .stopped }
            sent = bytes.count
        case .stream, .repeatable:
            do throws(TransportError) {
                var chunks = try await body.chunks().makeAsyncIterator()
                while let chunk = try await chunks.next() {
                    sent += chunk.count
                    if let length = body.length, sent > length { return .failed(mismatch(sent, length)) }
                    guard await send(chunk) else { return .stopped }
                }
            } catch {
                return .failed(error)
            }
        }
        if let length = body.length, sent != length { return .failed(mismatch(sent, length)) }
        connection.sendControl(.bodyEnd, from: side)
        progress?.ended()
        return .complete
    }

    private func send(_ bytes: [UInt8]) async -> Bool {
        var start = 0
        while start < bytes.count {
            let end = min(start + Self.chunkBytes, bytes.count)
            let chunk = end - start == bytes.count ? bytes : Array(bytes[start..<end])
            progress?.waits()
            guard case .passed = await connection.send(.chunk(chunk), from: side) else { return false }
            progress?.passed()
            start = end
        }
        return true
    }

    private func mismatch(_ sent: Int, _ length: Int) -> TransportError {
        TransportError(
            .protocolViolation,
            operation: "send body",
            peer: peer,
            detail: "\(sent) bytes of a body of \(length)"
        )
    }
}
