internal import Synchronization

/// Tasks that are cancelled when their owner releases them or is released itself.
final class OwnedTasks: Sendable {
    private let tasks = Mutex<[Task<Void, Never>]>([])

    deinit { cancelAll() }

    /// Cancels the tasks held so far and holds these.
    func replace(with new: [Task<Void, Never>]) {
        let old = tasks.withLock { tasks in
            let old = tasks
            tasks = new
            return old
        }
        for task in old { task.cancel() }
    }

    /// Cancels all.
    func cancelAll() { replace(with: []) }

    /// Cancels all and waits for their ends.
    func cancelAndWait() async {
        let old = tasks.withLock { tasks in
            let old = tasks
            tasks = []
            return old
        }
        for task in old { task.cancel() }
        for task in old { await task.value }
    }
}
