/// The place where one task at a time waits for something to happen, for a time, or for its cancellation.
final class Slot: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    /// Why a wait has ended.
    enum Wake: Sendable {
        case ready
        case cancelled
        case expired
    }

    // Who owns the slot belongs to the host.
    private unowned let host: SimulatedHost
    private var continuation: CheckedContinuation<Wake, Never>?
    /// Whether a task has begun to wait and has no continuation yet: it may change executors in between, and stand still there.
    private var isEntering = false
    /// What woke the task meanwhile.
    private var early: Wake?
    private var deadline = Int64.max
    /// When the earliest timer fires that was set and has not fired; timers cannot be taken back.
    private var timerAt = Int64.max

    init(_ host: SimulatedHost) { self.host = host }

    var isWaiting: Bool { continuation != nil }

    /// Waits until woken, cancelled or late.
    ///
    /// The caller looks again afterwards: a wake carries nothing, so nothing gets lost.
    func wait(until deadline: Int64 = .max) async -> Wake {
        precondition(continuation == nil && !isEntering, "one task at a time waits here")
        isEntering = true
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                isEntering = false
                if let early = early.take() { return continuation.resume(returning: early) }
                if Task.isCancelled { return continuation.resume(returning: .cancelled) }
                self.continuation = continuation
                self.deadline = deadline
                arm()
            }
        } onCancel: {
            wake(.cancelled)
        }
    }

    /// Ends the wait, if there is one.
    func wake(_ wake: Wake = .ready) {
        if let continuation = continuation.take() {
            continuation.resume(returning: wake)
        } else if isEntering {
            early = wake
        }
    }

    private func arm() {
        guard deadline < timerAt else { return }
        let time = deadline
        timerAt = time
        host.schedule(at: time) { [self] in fire(time) }
    }

    private func fire(_ time: Int64) {
        if timerAt == time { timerAt = .max }
        guard continuation != nil else { return }
        if deadline <= time { wake(.expired) } else { arm() }
    }
}
