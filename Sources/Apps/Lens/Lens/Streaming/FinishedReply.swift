/// What the model said in one turn.
public struct FinishedReply: Sendable, Hashable {
    /// How the turn ended.
    public enum Ending: String, Sendable, Hashable {
        case complete
        /// The model's side cut it short, for example because of new input.
        case interrupted
        /// The session was lost, left or stopped before the end.
        case cutOff
        /// The model's side does not let it stand.
        case refused
        /// The reply was longer than is kept; the rest was left out.
        case tooLong
    }

    /// All text of the turn, in order.
    public var text: String
    /// How the turn ended.
    public var ending: Ending

    /// Creates a finished reply.
    public init(text: String, ending: Ending) {
        self.text = text
        self.ending = ending
    }

    /// Whether the model had more to say.
    public var isPartial: Bool { ending != .complete }
}
