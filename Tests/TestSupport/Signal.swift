import Synchronization

/// Something that happens once, and that others can wait for.
package final class Signal: Sendable {
    private enum State {
        case pending([Int: CheckedContinuation<Void, Never>])
        case given
    }

    private let state = Mutex(State.pending([:]))
    private let waiters = Atomic(0)

    package init() {}

    package var isGiven: Bool {
        state.withLock { state in
            if case .given = state { true } else { false }
        }
    }

    package func give() {
        let waiting: [Int: CheckedContinuation<Void, Never>] = state.withLock { state in
            guard case .pending(let waiting) = state else { return [:] }
            state = .given
            return waiting
        }
        for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) { continuation.resume() }
    }

    /// Waits until the signal is given, or the calling task is cancelled: a test that takes too long ends.
    package func wait() async {
        let number = waiters.wrappingAdd(1, ordering: .relaxed).newValue
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard case .pending(var waiting) = state, !Task.isCancelled else { return true }
                    waiting[number] = continuation
                    state = .pending(waiting)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let left = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard case .pending(var waiting) = state else { return nil }
                defer { state = .pending(waiting) }
                return waiting.removeValue(forKey: number)
            }
            left?.resume()
        }
    }

    /// Waits until the calling task is cancelled.
    package static func waitForCancellation() async {
        await Signal().wait()
    }
}
