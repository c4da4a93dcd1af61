internal import AppKernel
internal import Services

/// Decides whether and how a lost session is opened again.
struct ReconnectPlan: Sendable {
    /// What to do next.
    enum Decision: Sendable, Hashable {
        /// Wait, then open a session, going on from `handle` if there is one.
        case open(attempt: Int, handle: String?)
        /// Trying again will not help, or was tried often enough.
        case giveUp
    }

    private let policy: RetryPolicy
    private var attempts = 0
    /// Goes on where the lost session stopped.
    private(set) var handle: String?

    init(policy: RetryPolicy) { self.policy = policy }

    /// Keeps the newest handle.
    mutating func note(handle: String) { self.handle = handle.isEmpty ? self.handle : handle }

    /// A session has proven healthy: the next loss begins a new count.
    mutating func noteHealthy() { attempts = 0 }

    /// The session was left on the service's own announcement.
    ///
    /// Not counted as a failure: the next session comes at once.
    func afterFarewell() -> Decision { .open(attempt: 0, handle: handle) }

    /// An open session was closed by the other side.
    ///
    /// WebSocket close codes as RFC 6455 section 7.4.1 has them: 1007 (invalid payload) and 1003 (unsupported data) mean that
    /// what was sent will be refused again. 1008 (policy) and 1011 (internal error) are also how a service
    /// refuses a handle that it no longer knows, so the next session starts afresh.
    mutating func afterClose(code: UInt16) -> Decision {
        switch code {
        case 1003, 1007: return .giveUp
        case 1008, 1011: handle = nil
        default: break
        }
        return nextAttempt()
    }

    /// A session could not be opened, or failed while in use.
    mutating func afterError(_ error: LiveModelError) -> Decision {
        switch error.code {
        case .missingKey, .invalidKey, .quotaExceeded, .cancelled: return .giveUp
        case .rejected:
            // A refusal may concern the handle alone: try once without.
            guard handle != nil else { return .giveUp }
            handle = nil
            return nextAttempt()
        case .closed: return afterClose(code: error.closeCode ?? 1006)
        case .unavailable, .unreachable, .timedOut: return nextAttempt()
        }
    }

    private mutating func nextAttempt() -> Decision {
        attempts += 1
        guard policy.wait(beforeRetry: attempts) != nil else { return .giveUp }
        return .open(attempt: attempts, handle: handle)
    }
}
