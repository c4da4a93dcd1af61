/// Which entries of a recording are asked for.
public struct SessionFilter: Sendable {
    /// The kinds of entries.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// HTTP requests and answers.
        case http
        /// WebSocket conversations.
        case websocket
        /// Datagrams.
        case udp
        /// Questions for the host's interfaces.
        case interfaces
        /// Questions for the addresses of a name.
        case lookup
        /// Captures of the camera.
        case captures
        /// What screens showed.
        case states
        /// What was done on screens.
        case actions
        /// Events of the simulated world.
        case events
    }

    /// The kinds that are asked for.
    public var kinds: Set<Kind>
    /// The first and the last time, in nanoseconds since the session's start; `nil` for all.
    public var times: ClosedRange<Int64>?
    /// The one connection that is asked for, by its number; `nil` for all.
    public var connection: Int?
    /// The one screen that is asked for; `nil` for all.
    public var screen: String?
    /// What bytes or text have to contain, letter by letter; captures contain nothing.
    public var text: String?
    /// Whether only that is asked for which says that something went wrong.
    public var onlyFailures: Bool = false

    /// Everything.
    public init() { kinds = Set(Kind.allCases) }
}
