/// Decides what the simulated model says.
public protocol GeminiBrain: Sendable {
    /// The reply to a turn. Called once for each turn, on the session's own actor; it should not take long.
    func reply(to turn: GeminiTurn) -> GeminiReply
}

/// What a brain knows when it is its turn to speak.
public struct GeminiTurn: Sendable, Hashable {
    /// Counts turns of the conversation from 0; a resumed session goes on counting.
    public var index: Int
    /// The words that started the turn; empty when it was started without any.
    public var prompt: String
    /// The standing instructions of the session.
    public var instructions: String?
    /// How many frames the conversation has brought.
    public var frameCount: Int
    /// What the newest of them shows.
    public var lastFrame: FrameInspection?
    /// The size of the newest frame as JPEG.
    public var lastFrameBytes: Int
}

/// What a brain says, in the pieces in which it goes out.
public struct GeminiReply: Sendable, Hashable {
    /// One message with text of the model.
    public struct Chunk: Sendable, Hashable {
        /// The wait before the message.
        public var delay: Duration
        /// The texts of its parts, in order.
        public var parts: [String]
        /// Whether the parts are thoughts, which are no part of the answer.
        public var isThought: Bool

        /// Makes a chunk.
        public init(_ parts: [String], after delay: Duration = .zero, isThought: Bool = false) {
            self.parts = parts
            self.delay = delay
            self.isThought = isThought
        }
    }

    /// The messages, in order.
    public var chunks: [Chunk]

    /// Makes a reply.
    public init(_ chunks: [Chunk]) { self.chunks = chunks }

    /// The whole answer, without thoughts.
    public var text: String { chunks.filter { !$0.isThought }.flatMap(\.parts).joined() }
}
