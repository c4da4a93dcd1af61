import NIOCore
import Transport

/// A request body that does not run ahead of the socket.
///
/// async-http-client hands each part to the connection's event loop without waiting for it, and learns only there that
/// the socket takes no more. While the loop is busy with others, a quick producer would therefore queue its whole body
/// in memory. After each ``window`` bytes this waits until the loop has done what was handed to it; by then the
/// client knows whether to pause.
struct PacedBody: AsyncSequence {
    typealias Element = ByteBuffer

    /// Bytes that may be on their way to the event loop.
    static let window = 128 * 1024
    /// The most bytes of one part: each is one step of the request's progress.
    static let part = 64 * 1024

    let body: HTTPBody
    /// On which all connections of the pool are.
    let loop: any EventLoop
    let watch: UploadWatch

    func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    struct Iterator: AsyncIteratorProtocol {
        let source: PacedBody
        var chunks: ByteStream.AsyncIterator?
        var left: ArraySlice<UInt8> = []
        var handedOver = 0

        mutating func next() async throws -> ByteBuffer? {
            source.watch.sends()
            if handedOver >= PacedBody.window {
                try await source.loop.submit {}.get()
                handedOver = 0
            }
            if left.isEmpty {
                source.watch.produces()
                guard let chunk = try await nextChunk() else {
                    source.watch.ended()
                    return nil
                }
                left = chunk[...]
                source.watch.sends()
            }
            let part = left.prefix(PacedBody.part)
            left = left.dropFirst(part.count)
            handedOver += part.count
            return ByteBuffer(bytes: part)
        }

        private mutating func nextChunk() async throws -> [UInt8]? {
            var chunks = self.chunks
            if chunks == nil { chunks = try await source.body.chunks().makeAsyncIterator() }
            let chunk = try await chunks?.next()
            self.chunks = chunks
            return chunk
        }
    }
}
