internal import Services

/// How the use of one session ended.
enum SessionOutcome: Sendable, Hashable {
    /// The service announced to close, and the session was left in good time.
    case farewell
    /// The other side closed.
    case closed(code: UInt16, reason: String)
    /// The session went on from an earlier one, and the model does not speak in it.
    case silent
    /// Sending failed, or the task was cancelled.
    case failed(LiveModelError)
}
