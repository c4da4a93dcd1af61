import NIOCore
import Synchronization
import Transport

/// What one vector read has brought in, until a task takes it.
///
/// Nothing is dropped here: while something waits, the socket is not read, and the system's receive buffer fills and loses the newest.
final class DatagramInbox: Sendable {
    private typealias Waiter = CheckedContinuation<Result<[Datagram], TransportError>, Never>

    private struct State {
        /// What is not taken yet.
        var stored: ArraySlice<Datagram> = []
        var waiter: Waiter?
        var atMost = 0
        var end: TransportError?
        var isReading = false

        mutating func take(_ count: Int) -> [Datagram] {
            let part = Array(stored.prefix(count))
            stored = stored.dropFirst(count)
            // An empty slice would keep the datagrams of the whole read.
            if stored.isEmpty { stored = [] }
            return part
        }

        var isEmpty: Bool { stored.isEmpty }

        /// Whether the socket is to be read again, which is then noted.
        mutating func beginReading() -> Bool {
            guard stored.isEmpty, !isReading else { return false }
            isReading = true
            return true
        }
    }

    private let state = Mutex(State())
    private let local: Endpoint?

    /// Makes an empty inbox.
    init(local: Endpoint?) { self.local = local }

    /// Datagrams that wait in the process.
    var waiting: Int { state.withLock { $0.stored.count } }

    /// Stores what a read has brought in.
    ///
    /// - Returns: Whether the socket is to be read again.
    func push(_ datagrams: [Datagram]) -> Bool {
        let (waiter, batch, reads): (Waiter?, [Datagram], Bool) = state.withLock { state in
            guard state.end == nil else { return (nil, [], false) }
            state.stored += datagrams
            var waiter: Waiter?
            var batch: [Datagram] = []
            if !state.stored.isEmpty, let first = state.waiter {
                state.waiter = nil
                waiter = first
                batch = state.take(state.atMost)
            }
            state.isReading = state.stored.isEmpty
            return (waiter, batch, state.isReading)
        }
        waiter?.resume(returning: .success(batch))
        return reads
    }

    /// Ends it, once; what is stored is thrown away.
    func finish(_ end: TransportError) {
        let waiter: Waiter? = state.withLock { state in
            guard state.end == nil else { return nil }
            state.end = end
            state.stored = []
            return state.waiter.take()
        }
        waiter?.resume(returning: .failure(end))
    }

    /// Takes what is there, or waits for it.
    ///
    /// - Parameters:
    ///   - count: How many datagrams at most.
    ///   - read: Called when the socket is to be read again.
    func take(_ count: Int, read: () -> Void) async throws(TransportError) -> [Datagram] {
        let cancelled = TransportError(.cancelled, operation: "receive datagram", peer: peer)
        if Task.isCancelled { throw cancelled }
        let (ready, reads) = takeNow(count)
        if reads { read() }
        if let ready { return try ready.get() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in
                let (ready, reads) = takeNow(count, orWait: waiter)
                if reads { read() }
                if let ready { waiter.resume(returning: ready) }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume(returning: .failure(cancelled))
        }
        return try result.get()
    }

    private func takeNow(_ count: Int) -> (Result<[Datagram], TransportError>?, reads: Bool) {
        state.withLock { state in
            if let end = state.end { return (.failure(end), false) }
            let batch = state.isEmpty ? nil : state.take(count)
            return (batch.map { .success($0) }, state.beginReading())
        }
    }

    private func takeNow(
        _ count: Int,
        orWait waiter: Waiter
    ) -> (Result<[Datagram], TransportError>?, reads: Bool) {
        state.withLock { state in
            if let end = state.end { return (.failure(end), false) }
            // A read may have come in since the inbox was found empty.
            if !state.isEmpty { return (.success(state.take(count)), state.beginReading()) }
            // The cancellation handler may have run before the waiter was registered.
            if Task.isCancelled {
                return (
                    .failure(TransportError(.cancelled, operation: "receive datagram", peer: peer)), false
                )
            }
            precondition(state.waiter == nil, "One task at a time receives.")
            state.waiter = waiter
            state.atMost = count
            return (nil, false)
        }
    }

    private var peer: String { local.map { "\($0)" } ?? "" }
}
