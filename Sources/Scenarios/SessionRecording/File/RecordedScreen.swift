/// What a screen showed, or what was done on it.
public struct RecordedScreen: Sendable, Hashable {
    /// Which of the two it is.
    public enum Kind: String, Sendable, Hashable {
        /// A state, which the screen showed from then on.
        case state
        /// An action, when it was begun.
        case action
    }

    /// The screen's name.
    public var screen: String
    /// Which of the two it is.
    public var kind: Kind
    /// When, in nanoseconds since the session's start.
    public var nanoseconds: Int64
    /// State or action as JSON, its members in alphabetical order; without secrets.
    public var json: String

    /// Makes one.
    public init(screen: String, kind: Kind, nanoseconds: Int64, json: String) {
        self.screen = screen
        self.kind = kind
        self.nanoseconds = nanoseconds
        self.json = json
    }
}
