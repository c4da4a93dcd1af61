internal import Synchronization

/// Tasks that are cancelled when their owner releases them or is released itself.
public final class OwnedTasks: Sendable {
    private let tasks = Mutex<[Task<Void, Never>]>([])

    /// Owns no task yet.
    public init() {}

    deinit { cancelAll() }

    /// Cancels the tasks held so far and holds these.
    public func replace(with new: [Task<Void, Never>]) {
        let old = tasks.withLock { tasks in
            let old = tasks
            tasks = new
            return old
        }
        for task in old { task.cancel() }
    }

    /// Cancels all.
    public func cancelAll() { replace(with: []) }

    /// Cancels all and waits for their ends.
    public func cancelAndWait() async {
        let old = tasks.withLock { tasks in
            let old = tasks
            tasks = []
            return old
        }
        for task in old { task.cancel() }
        for task in old { await task.value }
    }
}
