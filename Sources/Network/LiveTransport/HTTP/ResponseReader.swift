import AsyncHTTPClient
import NIOCore
import Transport

/// Reads a response body chunk by chunk, each within a timeout.
///
/// Sendable without a lock by the contract of `ByteStream`: one reader at a time asks for the next chunk, and
/// waits for it before asking again.
final class ResponseReader: @unchecked Sendable {
    private var iterator: HTTPClientResponse.Body.AsyncIterator
    private let peer: String
    private let timeout: Duration

    init(_ body: HTTPClientResponse.Body, peer: String, timeout: Duration) {
        iterator = body.makeAsyncIterator()
        self.peer = peer
        self.timeout = timeout
    }

    /// The next chunk, never empty, or `nil` at the end.
    func next() async throws(TransportError) -> [UInt8]? {
        let late = TransportError(
            .timedOut,
            operation: "read body",
            peer: peer,
            detail: "no further chunk within \(timeout)",
            reach: .answered
        )
        do {
            let chunk = try await withDeadline(timeout, late: late) { try await self.pull() }
            // The pool ends a cancelled body without an error.
            if chunk == nil, Task.isCancelled { throw CancellationError() }
            return chunk
        } catch {
            if Task.isCancelled {
                throw TransportError(.cancelled, operation: "read body", peer: peer, reach: .answered)
            }
            var failure = TransportError(cause: error, operation: "read body", peer: peer)
            failure.reach = .answered
            throw failure
        }
    }

    private func pull() async throws -> [UInt8]? {
        while let buffer = try await iterator.next() {
            if buffer.readableBytes > 0 { return [UInt8](buffer: buffer) }
        }
        return nil
    }
}
