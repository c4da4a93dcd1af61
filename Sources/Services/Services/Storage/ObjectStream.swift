/// An object that is being read: what is known of it, and its bytes as they come, once and for one reader.
///
/// A reader that is cancelled, or that stops, ends the request.
public struct ObjectStream: AsyncSequence, Sendable {
    /// Bytes, never none.
    public typealias Element = [UInt8]
    /// What may break the stream.
    public typealias Failure = ObjectStoreError

    /// The object.
    public let info: ObjectInfo
    /// Which of its bytes come.
    public let range: Range<Int>
    private let pull: @Sendable () async throws(ObjectStoreError) -> [UInt8]?

    /// Makes a stream.
    ///
    /// - Parameters:
    ///   - info: The object.
    ///   - range: Which of its bytes come.
    ///   - pull: The next bytes; `nil` at the end. Called by one reader, not again after `nil` or an error.
    public init(
        _ info: ObjectInfo,
        range: Range<Int>,
        _ pull: @escaping @Sendable () async throws(ObjectStoreError) -> [UInt8]?
    ) {
        (self.info, self.range, self.pull) = (info, range, pull)
    }

    /// Makes the one reader.
    public func makeAsyncIterator() -> Iterator { Iterator(pull: pull) }

    /// Reads the bytes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pull: @Sendable () async throws(ObjectStoreError) -> [UInt8]?

        /// Waits for the next bytes; `nil` at the end.
        public mutating func next() async throws(ObjectStoreError) -> [UInt8]? { try await pull() }

        /// Waits for the next bytes; `nil` at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ObjectStoreError) -> [UInt8]? { try await pull() }
    }
}
