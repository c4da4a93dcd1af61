import Synchronization

/// A value that many may watch: each watcher sees the present value first, then every change in order.
///
/// Safe to use from any task. A watcher that does not read falls behind by at most `backlog` changes; past that
/// it misses the oldest, never the newest.
public final class CurrentValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var watchers: [Int: AsyncStream<Value>.Continuation] = [:]
        var observers: [@Sendable (Value) -> Void] = []
        var nextWatcher = 0
    }

    private let state: Mutex<State>
    private let backlog: Int

    /// Creates a holder of `value`; `backlog` is the number of unread changes kept for each watcher.
    public init(_ value: Value, backlog: Int = 256) {
        state = Mutex(State(value: value))
        self.backlog = backlog
    }

    deinit {
        for watcher in state.withLock({ Array($0.watchers.values) }) { watcher.finish() }
    }

    /// The present value.
    public var value: Value { state.withLock { $0.value } }

    /// Replaces the value and tells the watchers.
    public func set(_ value: Value) {
        update { $0 = value }
    }

    /// Changes the value in place, in one step that no other change can divide, and tells the watchers.
    ///
    /// Watchers are notified under the lock, so that all of them see the changes in the order in which they happened.
    @discardableResult
    public func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        state.withLock { state in
            let result = change(&state.value)
            for watcher in state.watchers.values { watcher.yield(state.value) }
            for observer in state.observers { observer(state.value) }
            return result
        }
    }

    /// Calls `observer` with the present value and with every later one, in order, as long as this holder exists.
    ///
    /// Whoever changes the value makes the call, under the lock: it must not use this holder, and others wait for it. For recordings, which note a value
    /// without a task of their own.
    package func observe(_ observer: @escaping @Sendable (Value) -> Void) {
        state.withLock { state in
            observer(state.value)
            state.observers.append(observer)
        }
    }

    /// The present value and all later ones, until the reader's task is cancelled or this holder is released.
    public func values() -> AsyncStream<Value> { values(backlog: backlog) }

    /// The present value and later ones, of which the newest so many wait for a reader that is behind.
    public func values(backlog: Int) -> AsyncStream<Value> {
        let (stream, watcher) = AsyncStream.makeStream(
            of: Value.self,
            bufferingPolicy: .bufferingNewest(backlog)
        )
        let number = state.withLock { state in
            let number = state.nextWatcher
            state.nextWatcher += 1
            state.watchers[number] = watcher
            watcher.yield(state.value)
            return number
        }
        watcher.onTermination = { [weak self] _ in
            self?.state.withLock { $0.watchers[number] = nil }
        }
        return stream
    }
}
