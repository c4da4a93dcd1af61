import Synchronization

/// A sequence of byte chunks that can be read once.
///
/// The reader pulls: a producer makes the next chunk only when asked, so a slow reader holds back a fast
/// producer. Chunks are never empty; their sizes carry no meaning.
public struct ByteStream: AsyncSequence, Sendable {
    /// A chunk of bytes.
    public typealias Element = [UInt8]
    /// What may break the stream.
    public typealias Failure = TransportError

    /// What there is without waiting.
    public enum Ready: Sendable, Hashable {
        /// A chunk, not empty.
        case chunk([UInt8])
        /// The end.
        case end
        /// Nothing: the next chunk has to be waited for, or wants to be sent by itself, or the stream breaks.
        case later
    }

    private let pull: @Sendable () async throws(TransportError) -> [UInt8]?
    private let look: (@Sendable () -> Ready)?

    /// Makes a stream of the chunks that `pull` returns until it returns `nil`.
    ///
    /// - Parameter pull: Called by one reader at a time; not called again after `nil` or an error.
    public init(_ pull: @escaping @Sendable () async throws(TransportError) -> [UInt8]?) {
        self.pull = pull
        look = nil
    }

    /// Makes a stream that also tells what there is without waiting, so that it can be sent at once.
    ///
    /// - Parameters:
    ///   - ready: Takes a chunk if there is one now. Called by the one reader, between calls of `pull`, any number of times
    ///     until it has returned `end`; after that, `pull` returns `nil`.
    ///   - pull: As in ``init(_:)``.
    public init(
        ready: @escaping @Sendable () -> Ready,
        _ pull: @escaping @Sendable () async throws(TransportError) -> [UInt8]?
    ) {
        self.pull = pull
        look = ready
    }

    /// Makes the one reader.
    public func makeAsyncIterator() -> Iterator { Iterator(pull: pull, look: look) }

    /// Reads the chunks.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pull: @Sendable () async throws(TransportError) -> [UInt8]?
        fileprivate let look: (@Sendable () -> Ready)?
        fileprivate var finished = false

        fileprivate init(
            pull: @escaping @Sendable () async throws(TransportError) -> [UInt8]?,
            look: (@Sendable () -> Ready)?
        ) {
            self.pull = pull
            self.look = look
        }

        /// Takes what there is without waiting; always ``ByteStream/Ready/later`` for a stream that does not tell.
        public mutating func ready() -> Ready {
            if finished { return .end }
            guard let look else { return .later }
            let ready = look()
            if case .end = ready { finished = true }
            return ready
        }

        /// Waits for the next chunk; `nil` at the end.
        public mutating func next() async throws(TransportError) -> [UInt8]? {
            try await next(isolation: #isolation)
        }

        /// Waits for the next chunk; `nil` at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TransportError) -> [UInt8]? {
            if finished { return nil }
            do {
                let chunk = try await pull()
                if chunk == nil { finished = true }
                return chunk
            } catch {
                finished = true
                throw error
            }
        }
    }
}

extension ByteStream {
    /// A stream of these bytes, in chunks of at most 64 KiB.
    public static func once(_ bytes: [UInt8]) -> ByteStream {
        let rest = Rest(bytes)
        return ByteStream { rest.next() }
    }

    /// Bytes that have not been read yet.
    private final class Rest: Sendable {
        private static let chunk = 64 * 1024
        private let left: Mutex<ArraySlice<UInt8>>

        init(_ bytes: [UInt8]) { left = Mutex(bytes[...]) }

        func next() -> [UInt8]? {
            left.withLock { left in
                if left.isEmpty { return nil }
                defer { left = left.dropFirst(Self.chunk) }
                return Array(left.prefix(Self.chunk))
            }
        }
    }
}

extension ByteStream {
    /// A stream that is opened when its first chunk is asked for.
    package static func opening(
        _ open: @escaping @Sendable () async throws(TransportError) -> ByteStream
    ) -> ByteStream {
        let opened = Opened()
        return ByteStream { () async throws(TransportError) in
            if opened.chunks == nil { opened.chunks = try await open().makeAsyncIterator() }
            return try await opened.chunks?.next()
        }
    }

    /// Sendable without a lock by the contract of `ByteStream`: one reader at a time asks for the next chunk.
    private final class Opened: @unchecked Sendable {
        var chunks: ByteStream.Iterator?
    }
}
