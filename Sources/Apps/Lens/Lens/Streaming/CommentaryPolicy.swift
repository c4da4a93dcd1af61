/// When the model is asked to speak: pictures alone never make it.
public struct CommentaryPolicy: Sendable, Hashable {
    /// Standing instructions of every session; `nil` for the model's own manner.
    public var instructions: String?
    /// Asked once a session, when the first picture has gone out.
    public var opening: String
    /// The longest wait for that first picture.
    public var openingWait: Duration
    /// Asked again after every finished reply; `nil` to ask only once.
    public var followUp: String?
    /// The silence between a finished reply and the follow-up.
    public var pause: Duration
    /// A model that has said nothing for so long is asked again: resumed sessions are known to fall silent.
    public var patience: Duration

    /// Creates a policy; the defaults ask for a running commentary.
    public init(
        instructions: String? = "You see a live video. Answer in short, complete sentences.",
        opening: String = "Describe what you see.",
        openingWait: Duration = .seconds(2),
        followUp: String? = "Say what has changed since. If nothing has, say so briefly.",
        pause: Duration = .seconds(4),
        patience: Duration = .seconds(30)
    ) {
        self.instructions = instructions
        self.opening = opening
        self.openingWait = openingWait
        self.followUp = followUp
        self.pause = pause
        self.patience = patience
    }
}
