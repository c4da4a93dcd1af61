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

    func makeAsyncIterator() -> Iterator { Iterator(loop: loop, watch: watch, source: BodySource(body)) }

    struct Iterator: AsyncIteratorProtocol {
        let loop: any EventLoop
        let watch: UploadWatch
        fileprivate let source: BodySource
        var left: ArraySlice<UInt8> = []
        var handedOver = 0

        mutating func next() async throws -> ByteBuffer? {
            watch.sends()
            if handedOver >= PacedBody.window {
                try await loop.submit {}.get()
                handedOver = 0
            }
            if left.isEmpty {
                watch.produces()
                guard let chunk = try await watch.chunk({ [source] in try await source.next() }) else {
                    watch.ended()
                    return nil
                }
                left = chunk[...]
                watch.sends()
            }
            let part = left.prefix(PacedBody.part)
            left = left.dropFirst(part.count)
            handedOver += part.count
            return ByteBuffer(bytes: part)
        }
    }
}

/// A body that is read chunk by chunk, each chunk in a task of its own; one at a time.
private actor BodySource {
    private let body: HTTPBody
    private var chunks: ByteStream.Iterator?

    init(_ body: HTTPBody) { self.body = body }

    func next() async throws(TransportError) -> [UInt8]? {
        var current = chunks
        if current == nil { current = try await body.chunks().makeAsyncIterator() }
        defer { chunks = current }
        return try await current?.next()
    }
}
