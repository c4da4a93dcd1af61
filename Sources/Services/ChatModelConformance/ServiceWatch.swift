import Synchronization

/// Counts the requests of a service that runs beside the test: the service says when each begins and ends.
public final class ServiceWatch: ChatServiceWatch {
    private struct State {
        var requests = 0
        var open = 0
        /// Those who wait for a change, by a number of their own.
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// Makes one that has seen nothing.
    public init() {}

    /// Requests that came so far.
    public var requests: Int { state.withLock(\.requests) }

    /// A request has come.
    ///
    /// - Returns: Its number, counted from 0.
    @discardableResult
    public func begin() -> Int {
        change { state in
            state.requests += 1
            state.open += 1
            return state.requests - 1
        }
    }

    /// A request is not answered any more: its answer was given, or nobody reads it.
    public func end() { change { $0.open -= 1 } }

    /// Returns once a request has come, or the calling task is cancelled.
    public func untilAsked() async { await wait { $0.requests > 0 } }

    /// Returns once no request is being answered any more, or the calling task is cancelled.
    public func untilIdle() async { await wait { $0.open == 0 } }

    private func change<Value: Sendable>(_ body: (inout sending State) -> Value) -> Value {
        state.withLock { state in
            let value = body(&state)
            for continuation in state.waiting.values { continuation.yield() }
            return value
        }
    }

    private func wait(_ isMet: (borrowing State) -> Bool) async {
        let (changes, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = state.withLock { state in
            state.next += 1
            state.waiting[state.next] = continuation
            return state.next
        }
        defer { state.withLock { state in _ = state.waiting.removeValue(forKey: number) } }
        if state.withLock({ isMet($0) }) { return }
        for await _ in changes where state.withLock({ isMet($0) }) { return }
    }
}
