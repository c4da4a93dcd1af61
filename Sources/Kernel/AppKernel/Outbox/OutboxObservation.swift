internal import Concurrency
public import GRDB

/// What is read from the database of an ``Outbox``: at the beginning, and again after each commit that has changed the queue.
///
/// A value is given where it differs from the one before. Who is slow misses values between, never the newest: however many commits there
/// were meanwhile, one reading follows. It ends when the task is cancelled; a failure of the database ends it too.
public struct OutboxObservation<Value: Sendable & Equatable>: AsyncSequence, Sendable {
    /// Why a reading failed.
    public typealias Failure = DatabaseFailure

    private let commits: Published<Int>
    private let read: @Sendable () throws(DatabaseFailure) -> Value

    init(
        _ commits: Published<Int>,
        read: @escaping @Sendable () throws(DatabaseFailure) -> Value
    ) {
        (self.commits, self.read) = (commits, read)
    }

    /// Begins to observe.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(commits: commits.values(backlog: 1).makeAsyncIterator(), read: read)
    }

    /// Reads one value after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var commits: AsyncStream<Int>.AsyncIterator
        fileprivate let read: @Sendable () throws(DatabaseFailure) -> Value
        private var last: Value?

        fileprivate init(
            commits: AsyncStream<Int>.AsyncIterator,
            read: @escaping @Sendable () throws(DatabaseFailure) -> Value
        ) {
            (self.commits, self.read) = (commits, read)
        }

        /// The next value that differs from the one before; `nil` when the task is cancelled.
        ///
        /// - Throws: ``DatabaseFailure``.
        public mutating func next() async throws(DatabaseFailure) -> Value? {
            try await next(isolation: #isolation)
        }

        /// The next value that differs from the one before; `nil` when the task is cancelled.
        ///
        /// - Throws: ``DatabaseFailure``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DatabaseFailure) -> Value? {
            while await commits.next(isolation: actor) != nil {
                let value = try read()
                guard value != last else { continue }
                last = value
                return value
            }
            return nil
        }
    }
}

extension Outbox {
    /// Reads something now and after each later commit of this process that has changed the queue: what views show of it.
    ///
    /// - Parameter read: Reads in one step; the whole database, and not the queue alone. It must not use the database's object.
    public func observe<Value>(
        _ read: @escaping @Sendable (Database) throws -> Value
    ) -> OutboxObservation<Value> {
        OutboxObservation(commits) { [self] () throws(DatabaseFailure) in
            try database.read("observe the queue \(name)", read)
        }
    }
}
