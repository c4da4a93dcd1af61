internal import Concurrency
internal import Services

/// Decides whether and how a session that has ended is opened again.
///
/// Every ending is counted, with growing waits (``StreamingPolicy/reconnect``), until a session has lasted as long as
/// ``StreamingPolicy/healthyAfter``; then the count begins again. So the number of dials is bounded
/// (``StreamingPolicy/mostDials(within:)``), whatever the service does.
///
/// | What ended the session | Next | Goes on from |
/// | --- | --- | --- |
/// | announced (goAway), after it was healthy | at once, not counted | newest handle |
/// | announced sooner: the service may be draining | counted, waits | newest handle |
/// | 1006, lost or silent connection, no answer in time | counted, waits | newest handle; afresh when a second session with it was lost |
/// | 1000, 1001 and any code not below | counted, waits | as above |
/// | 1011, failure inside the service, or too many sessions at once, of which one may be lost | counted, waits | afresh: resumption does not help there |
/// | 1008, words of a session that is not known, or of trouble inside | counted, waits | afresh |
/// | 1007, 1003, 1008 for a model: refused | gives up; counted and waits if it was opened with a handle | afresh |
/// | quota, with a time to wait | counted, waits at least that long | newest handle |
/// | quota without a time, or with more than `RetryPolicy.longestServerWait` | gives up | |
/// | no key, or one that is not accepted | gives up | |
/// | it went on from a handle and stays silent | counted, waits | afresh |
///
/// A service names quota and keys in the reason of a close whose code is 1011 or 1007: the reason counts before the code
/// (`LiveSession.cause(ofClose:reason:)`). Codes: RFC 6455 section 7.4.1; what they stand for: public reports about Gemini
/// Live, none confirmed by its documentation.
struct ReconnectPlan: Sendable {
    /// What to do next.
    enum Decision: Sendable, Hashable {
        /// Wait, then open a session, going on from `handle` if there is one; attempt 0 waits not at all.
        case open(attempt: Int, handle: String?)
        /// Trying again will not help, or was tried often enough.
        case giveUp
    }

    /// Sessions that may be lost with one handle before the next starts afresh.
    private static let mostLosses = 2

    private let policy: RetryPolicy
    private var attempts = 0
    /// Goes on where the lost session stopped.
    private(set) var handle: String?
    /// What the present session was opened with.
    private(set) var openedWith: String?
    /// Sessions lost so far that had been opened with ``handle``.
    private var losses = 0

    init(policy: RetryPolicy) { self.policy = policy }

    /// Keeps the newest handle.
    mutating func note(handle: String) {
        guard self.handle != handle else { return }
        self.handle = handle.isEmpty ? self.handle : handle
        losses = 0
    }

    /// A session has proven healthy: its end begins a new count.
    mutating func noteHealthy() {
        attempts = 0
        losses = 0
        openedWith = nil
    }

    /// The session was left on the service's own announcement.
    ///
    /// - Parameter isHealthy: Whether it had lasted long enough.
    mutating func afterFarewell(isHealthy: Bool) -> Decision {
        isHealthy ? open(attempt: 0) : nextAttempt()
    }

    /// A session could not be opened, was closed by the other side, or failed while in use.
    mutating func afterError(_ error: LiveModelError) -> Decision {
        switch error.code {
        case .missingKey, .invalidKey, .cancelled: return .giveUp
        case .quotaExceeded:
            // To come sooner than the service asks would be refused again.
            guard let wait = error.retryAfter, wait <= policy.longestServerWait else { return .giveUp }
            return nextAttempt()
        case .rejected: return afterRefusal()
        case .closed:
            if let code = error.closeCode, code == 1003 || code == 1007 { return afterRefusal() }
            noteLoss(error.closeCode ?? 1006)
        case .unavailable, .unreachable, .timedOut:
            if let code = error.closeCode { noteLoss(code) }
        }
        return nextAttempt()
    }

    /// The session went on from a handle and the model has not spoken in it.
    mutating func afterSilence() -> Decision {
        handle = nil
        return nextAttempt()
    }

    /// A refusal may concern the handle alone: then the next session goes without.
    private mutating func afterRefusal() -> Decision {
        guard openedWith != nil else { return .giveUp }
        handle = nil
        return nextAttempt()
    }

    private mutating func noteLoss(_ code: UInt16) {
        if code == 1008 || code == 1011 { handle = nil }
        guard let handle, openedWith == handle else { return }
        losses += 1
        if losses >= Self.mostLosses { self.handle = nil }
    }

    private mutating func nextAttempt() -> Decision {
        attempts += 1
        guard policy.wait(beforeRetry: attempts) != nil else { return .giveUp }
        return open(attempt: attempts)
    }

    private mutating func open(attempt: Int) -> Decision {
        openedWith = handle
        return .open(attempt: attempt, handle: handle)
    }
}
