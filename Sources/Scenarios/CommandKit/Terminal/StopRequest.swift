import Dispatch
import Foundation
import Synchronization

/// The user's wish to stop: Ctrl-C, or a polite kill.
///
/// The first one is a request; a second one ends the process at once.
package final class StopRequest: Sendable {
    private enum Waiting {
        case yes([Int: CheckedContinuation<Void, Never>])
        case over
    }

    private struct Sources: @unchecked Sendable {
        // Invariant that makes this Sendable: held, and never touched again.
        var all: [any DispatchSourceSignal] = []
    }

    private let state: SharedState
    private let sources: Sources

    private final class SharedState: Sendable {
        let waiting = Mutex(Waiting.yes([:]))
        let nextNumber = Atomic(0)

        /// Wakes everybody who waits.
        ///
        /// Returns false when that was done before.
        func raise() -> Bool {
            let waiting = waiting.withLock { waiting in
                defer { waiting = .over }
                return waiting
            }
            guard case .yes(let continuations) = waiting else { return false }
            for continuation in continuations.values { continuation.resume() }
            return true
        }
    }

    /// Takes note of it from now on: once this returns, no signal is missed.
    package init() {
        let state = SharedState()
        self.state = state
        let registered = DispatchSemaphore(value: 0)
        // Of its own: threads of the global queues may all be waiting in here.
        let queue = DispatchQueue(label: "stop request")
        sources = Sources(
            all: [SIGINT, SIGTERM].map { number in
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler {
                    if !state.raise() { _exit(130) }
                }
                source.setRegistrationHandler { registered.signal() }
                source.resume()
                return source
            }
        )
        // Sources are registered on a thread of Dispatch's; a signal that comes before would end the process.
        for _ in sources.all { registered.wait() }
    }

    /// Whether it was asked for.
    package var isRequested: Bool {
        state.waiting.withLock { waiting in
            if case .over = waiting { true } else { false }
        }
    }

    /// Returns when it is asked for, or when the task is cancelled.
    package func wait() async {
        let state = state
        let number = state.nextNumber.add(1, ordering: .relaxed).newValue
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.waiting.withLock { waiting in
                    guard case .yes(var continuations) = waiting, !Task.isCancelled else { return true }
                    continuations[number] = continuation
                    waiting = .yes(continuations)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
                guard case .yes(var continuations) = waiting else { return nil }
                defer { waiting = .yes(continuations) }
                return continuations.removeValue(forKey: number)
            }
            continuation?.resume()
        }
    }
}
