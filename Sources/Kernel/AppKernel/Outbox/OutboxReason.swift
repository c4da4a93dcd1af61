/// Why an entry of an ``Outbox`` was not done when it was last tried.
public enum OutboxReason<Failure: Error & Codable & Hashable & Sendable>: Error, Codable, Hashable, Sendable {
    /// The work itself has failed.
    case failed(Failure)
    /// An attempt has neither ended nor shown progress for as long as ``OutboxPolicy/patience`` allows.
    case stalled
    /// The time in which it had to begin is over, see ``OutboxPolicy/expiry``.
    case expired
    /// The process has ended that many times in a row during this work.
    case interrupted(crashes: Int)
    /// What the first edition of the queue, or damage, has left as text.
    case noted(String)
}

extension OutboxReason: CustomStringConvertible {
    /// What has happened, for people.
    public var description: String {
        switch self {
        case .failed(let failure): "\(failure)"
        case .stalled: "the attempt made no progress for too long"
        case .expired: "the time in which it had to begin is over"
        case .interrupted(let crashes): "the process ended \(crashes) times in a row during this work"
        case .noted(let text): text
        }
    }
}
