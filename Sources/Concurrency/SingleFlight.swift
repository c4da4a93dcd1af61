internal import Synchronization

/// Work of which one piece is under way at a time, however many tasks want its outcome.
///
/// Who asks while it is under way gets the outcome of that piece; who asks after it begins another one. A task that is cancelled leaves alone and
/// at once. Work that has begun goes on without those that asked for it: its effect may be all that the next one can build on.
public final class SingleFlight<Value: Sendable>: Sendable {
    private let current = Mutex<SharedTask<Value?>?>(nil)

    /// Nothing is under way.
    public init() {}

    /// The outcome of the work that is under way, or of `work` where none is.
    ///
    /// - Returns: `nil` when the calling task is cancelled before the outcome is there.
    public func run(_ work: @escaping @Sendable () async -> Value) async -> Value? {
        while !Task.isCancelled {
            let task = current.withLock { current in
                if let task = current, !task.isDone, !task.isAbandoned { return task }
                let task = SharedTask<Value?> { settle in settle() ? await work() : nil }
                current = task
                return task
            }
            guard let outcome = await task.value() else { return nil }
            if let outcome { return outcome }
            // All that wanted it had left before it began, and this one came too late to keep it.
        }
        return nil
    }
}
