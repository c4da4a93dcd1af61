import Synchronization

/// Owns the tasks that channels start, so that they can be cancelled and awaited together.
package final class TaskLedger: Sendable {
    private struct State {
        var nextID = 0
        var tasks: [Int: Task<Void, Never>] = [:]
        var ended: Set<Int> = []
        var closed = false
    }

    private let state = Mutex(State())

    /// Owns none yet.
    package init() {}

    /// Runs the operation in a task of its own, cancelled from the start once the ledger is closed.
    ///
    /// - Parameter executor: Where the task prefers to run; `nil` for the global executor.
    @discardableResult
    package func start(
        on executor: (any TaskExecutor)? = nil,
        _ operation: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let task = Task(executorPreference: executor) {
            await operation()
            self.remove(id)
        }
        let closed = state.withLock { state in
            // A task that has ended already must not be kept.
            if state.ended.remove(id) == nil { state.tasks[id] = task }
            return state.closed
        }
        if closed { task.cancel() }
        return task
    }

    /// Cancels all tasks, and those that may still be started.
    package func cancelAll() {
        let tasks = state.withLock { state in
            state.closed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    /// Waits until no task is left.
    package func drain() async {
        while let task = state.withLock({ $0.tasks.values.first }) {
            await task.value
        }
    }

    private func remove(_ id: Int) {
        state.withLock { state in
            if state.tasks.removeValue(forKey: id) == nil { state.ended.insert(id) }
        }
    }
}
