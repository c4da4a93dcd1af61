/// The hub that this device is paired with, as far as it can be told from others on a network.
public enum PairedHub: Sendable, Hashable {
    /// One that says its ID.
    case known(String)
    /// One that was found on the local network, and says no ID: any that says none counts for it.
    case nameless
    /// One behind the relay that says no ID: no hub of a local network can be known to be it.
    case behindRelay

    /// Reads what ``text`` has written; `nil` for anything else.
    init?(_ text: String) {
        switch text {
        case "nameless": self = .nameless
        case "relay": self = .behindRelay
        case _ where text.hasPrefix("id:"): self = .known(String(text.dropFirst(3)))
        default: return nil
        }
    }

    /// As it is kept.
    var text: String {
        switch self {
        case .known(let id): "id:\(id)"
        case .nameless: "nameless"
        case .behindRelay: "relay"
        }
    }

    /// Whether a service with this ID, or with none, counts for the hub.
    func admits(_ id: String?) -> Bool {
        switch self {
        case .known(let own): id == own
        case .nameless: id == nil
        case .behindRelay: false
        }
    }
}
