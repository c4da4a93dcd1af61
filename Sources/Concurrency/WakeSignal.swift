import Synchronization

/// Wakes one sleeping task; a signal raised while nobody sleeps is kept for the next sleeper.
///
/// Several signals before a wait count as one. Only one task may wait at a time.
public final class WakeSignal: Sendable {
    private enum State {
        case idle
        case raised
        case waiting(CheckedContinuation<Void, Never>)
    }

    /// What ended a wait.
    public enum Wake: Sendable, Hashable {
        /// The signal was raised.
        case raised
        /// The time was over.
        case elapsed
        /// The waiting task was cancelled.
        case cancelled
    }

    private let state = Mutex(State.idle)

    /// Creates a signal that has not been raised.
    public init() {}

    /// Wakes the sleeper, or lets the next wait return at once.
    public func raise() {
        let sleeper: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard case .waiting(let sleeper) = state else {
                state = .raised
                return nil
            }
            // Stays raised: the woken task takes the signal itself, so that a timer cannot be mistaken for it.
            state = .raised
            return sleeper
        }
        sleeper?.resume()
    }

    /// Sleeps until the signal is raised, `limit` has passed (`nil` for no limit), or the task is cancelled.
    public func wait(atMost limit: Duration? = nil) async -> Wake {
        if let limit {
            guard limit > .zero else { return take() ? .raised : .elapsed }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.sleepUntilRaised() }
                group.addTask { try? await Task.sleep(for: limit.sleepable) }
                await group.next()
                group.cancelAll()
            }
        } else {
            await sleepUntilRaised()
        }
        if take() { return .raised }
        return Task.isCancelled ? .cancelled : .elapsed
    }

    /// Uses up a raised signal; false when there was none.
    private func take() -> Bool {
        state.withLock { state in
            guard case .raised = state else { return false }
            state = .idle
            return true
        }
    }

    private func sleepUntilRaised() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    switch state {
                    case .idle where !Task.isCancelled:
                        state = .waiting(continuation)
                        return false
                    case .waiting: preconditionFailure("only one task may wait for a wake signal")
                    case .idle, .raised: return true
                    }
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            let sleeper: CheckedContinuation<Void, Never>? = state.withLock { state in
                guard case .waiting(let sleeper) = state else { return nil }
                state = .idle
                return sleeper
            }
            sleeper?.resume()
        }
    }
}
