import Synchronization

/// Something that happens once, and that others can wait for.
package final class Signal: Sendable {
    private enum State {
        case pending([CheckedContinuation<Void, Never>])
        case given
    }

    private let state = Mutex(State.pending([]))

    package init() {}

    package var isGiven: Bool {
        state.withLock { state in
            if case .given = state { true } else { false }
        }
    }

    package func give() {
        let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
            guard case .pending(let waiting) = state else { return [] }
            state = .given
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the signal is given, also in a task that is cancelled, so that a test can have work that ignores it.
    package func wait() async {
        await withCheckedContinuation { continuation in
            let given = state.withLock { state in
                guard case .pending(let waiting) = state else { return true }
                state = .pending(waiting + [continuation])
                return false
            }
            if given { continuation.resume() }
        }
    }

    /// Waits until the calling task is cancelled.
    package static func waitForCancellation() async {
        let cancelled = Signal()
        await withTaskCancellationHandler {
            await cancelled.wait()
        } onCancel: {
            cancelled.give()
        }
    }
}
