/// Something that has gone wrong, and that no screen shows.
public enum ArgusIncident: Sendable, Hashable, CustomStringConvertible {
    /// The hub has not taken the device token, and why, in words without secrets: it is sent again at the next launch, or with the next
    /// token or pairing.
    case registrationFailed(String)

    /// One line, for a log.
    public var description: String {
        switch self {
        case .registrationFailed(let reason): "This device is not registered for notifications: \(reason)"
        }
    }
}

/// Takes incidents, from any task.
public typealias ArgusLog = @Sendable (ArgusIncident) -> Void
