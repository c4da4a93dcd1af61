import Synchronization

/// One operation in the real world, which may be cancelled before or after it has begun.
final class Visit: Sendable {
    private enum State {
        case expected
        case begun(Task<Void, Never>)
        case cancelled
    }

    private let state = Mutex(State.expected)

    func begin(_ task: Task<Void, Never>) {
        let late = state.withLock { state in
            if case .cancelled = state { return true }
            state = .begun(task)
            return false
        }
        if late { task.cancel() }
    }

    func cancel() {
        let task: Task<Void, Never>? = state.withLock { state in
            defer { state = .cancelled }
            if case .begun(let task) = state { return task }
            return nil
        }
        task?.cancel()
    }
}
