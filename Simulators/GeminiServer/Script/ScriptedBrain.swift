/// Says the same replies to everybody, turn by turn.
///
/// After the last reply of the list, a conversation hears the first one again.
public struct ScriptedBrain: GeminiBrain {
    /// It never does.
    public var mayBlock: Bool { false }

    private let replies: [GeminiReply]

    /// Makes a brain.
    ///
    /// - Parameter replies: What is said in the turns of a conversation, in order; at least one.
    public init(_ replies: [GeminiReply]) {
        precondition(!replies.isEmpty, "a script has at least one reply")
        self.replies = replies
    }

    /// The turn's own reply.
    public func reply(to turn: GeminiTurn) -> GeminiReply { replies[turn.index % replies.count] }
}
