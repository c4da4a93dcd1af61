import NIOCore
import Transport

/// A request body that does not run ahead of the socket.
///
/// async-http-client hands each part to the connection's event loop without waiting for it, and learns only there that
/// the socket takes no more. While the loop is busy with others, a quick producer would therefore queue its whole body
/// in memory. After each ``window`` bytes this waits until the loops have done what was handed to them; by then the
/// client knows whether to pause.
struct PacedBody: AsyncSequence {
    typealias Element = ByteBuffer

    /// Bytes that may be on their way to the event loop.
    static let window = 128 * 1024

    let stream: ByteStream
    let group: any EventLoopGroup

    func makeAsyncIterator() -> Iterator {
        Iterator(stream: stream.makeAsyncIterator(), loops: Array(group.makeIterator()))
    }

    struct Iterator: AsyncIteratorProtocol {
        var stream: ByteStream.AsyncIterator
        /// The pool chooses one of them for the connection, and does not say which.
        let loops: [any EventLoop]
        var handedOver = 0

        mutating func next() async throws -> ByteBuffer? {
            if handedOver >= PacedBody.window {
                for loop in loops { try await loop.submit {}.get() }
                handedOver = 0
            }
            guard let chunk = try await stream.next() else { return nil }
            handedOver += chunk.count
            return ByteBuffer(bytes: chunk)
        }
    }
}
