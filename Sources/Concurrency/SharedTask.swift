import Synchronization

/// One piece of work that several tasks want.
///
/// A task that is cancelled while it waits leaves alone and at once, and the others go on waiting. When the last one has
/// left, nobody wants the work any more: it is abandoned, which cancels it.
public final class SharedTask<Value: Sendable>: Sendable {
    private let waiters: Waiters<Value>
    private let task: Task<Void, Never>

    /// Starts the work.
    ///
    /// - Parameter work: Is given a call that ends the time in which it can be abandoned, and answers false when it already
    ///   has been: to be made before the work takes effect.
    public init(_ work: @escaping @Sendable (_ settle: @Sendable () -> Bool) async -> Value) {
        let waiters = Waiters<Value>()
        self.waiters = waiters
        task = Task {
            let value = await work { waiters.settle() }
            waiters.finish(value)
        }
    }

    /// Whether the last task that wanted the work has left it.
    public var isAbandoned: Bool { waiters.state.withLock { $0.isAbandoned } }

    /// Whether the work has ended.
    public var isDone: Bool { waiters.state.withLock { $0.value != nil } }

    /// Wants the work and waits for its result; `nil` when the calling task is cancelled before.
    public func value() async -> Value? { await wait(wants: true) }

    /// Waits for the end of work that others want; `nil` when the calling task is cancelled before.
    public func observe() async -> Value? { await wait(wants: false) }

    /// Waits for the end, also when the caller is cancelled.
    public func end() async { await task.value }

    /// Cancels the work for all that want it; they receive its result.
    public func cancel() { task.cancel() }

    private func wait(wants: Bool) async -> Value? {
        let number = waiters.join(wants: wants)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiters.wait(number, $0) }
        } onCancel: {
            if waiters.leave(number) { task.cancel() }
        }
    }
}

private final class Waiters<Value: Sendable>: Sendable {
    struct State {
        var value: Value?
        var isSettled = false
        var isAbandoned = false
        var nextNumber = 0
        /// Those that want the work, whether they wait already or not.
        var wanting: Set<Int> = []
        /// Those that were cancelled before they waited.
        var cancelled: Set<Int> = []
        var waiting: [Int: CheckedContinuation<Value?, Never>] = [:]
    }

    let state = Mutex(State())

    func join(wants: Bool) -> Int {
        state.withLock { state in
            state.nextNumber += 1
            if wants { state.wanting.insert(state.nextNumber) }
            return state.nextNumber
        }
    }

    func wait(_ number: Int, _ continuation: CheckedContinuation<Value?, Never>) {
        // What is known already, or that nobody waits any more.
        let answer: Value?? = state.withLock { state in
            if let value = state.value { return .some(value) }
            if state.cancelled.remove(number) != nil { return .some(nil) }
            state.waiting[number] = continuation
            return .none
        }
        if let answer { continuation.resume(returning: answer) }
    }

    /// Whether the last one that wanted the work has left it by this.
    func leave(_ number: Int) -> Bool {
        let (continuation, isLast) = state.withLock { state in
            guard state.value == nil else { return (CheckedContinuation<Value?, Never>?.none, false) }
            let continuation = state.waiting.removeValue(forKey: number)
            if continuation == nil { state.cancelled.insert(number) }
            let isLast = state.wanting.remove(number) != nil && state.wanting.isEmpty && !state.isSettled
            if isLast { state.isAbandoned = true }
            return (continuation, isLast)
        }
        continuation?.resume(returning: nil)
        return isLast
    }

    func settle() -> Bool {
        state.withLock { state in
            if !state.isAbandoned { state.isSettled = true }
            return !state.isAbandoned
        }
    }

    func finish(_ value: Value) {
        let waiting = state.withLock { state in
            state.value = value
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }
}
