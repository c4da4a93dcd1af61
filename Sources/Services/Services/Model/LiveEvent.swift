/// What the model side of a session says.
public enum LiveEvent: Sendable, Hashable {
    /// More text of the current turn; may be cut anywhere, even inside a word.
    case text(String)
    /// More of what the model thinks before it answers; no part of the answer.
    case thought(String)
    /// More of what the model says; ahead of its playing. What was not yet played when ``interrupted`` comes is void.
    case audio(LiveAudio)
    /// More of what the model has understood the user to say; in no promised order with the rest.
    case heard(LiveTranscript)
    /// What the model understands the user to say right now, before ``heard(_:)``: a whole new guess each time, that takes the place
    /// of the one before.
    case hearing(LiveTranscript)
    /// More of what the model speaks, in writing; in no promised order with the sound.
    case spoken(LiveTranscript)
    /// All of the current answer has been made; `turnComplete` follows, for speech when it has been played.
    case generationComplete
    /// The current turn is complete.
    case turnComplete
    /// Why the turn that ends is not an answer like others; `turnComplete` follows.
    case turnReason(LiveTurnReason)
    /// The model says nothing, because it expects the user to go on.
    case waitingForInput
    /// What the service does with the input so far; newer models tell it, and end an answer with ``LiveInteraction/idle``.
    case interaction(LiveInteraction)
    /// The service hears that the user begins or ends to speak.
    case voiceActivity(LiveVoiceActivity)
    /// The current turn was cut short, for example by new input; `turnComplete` follows.
    case interrupted
    /// The model calls functions of the app, and goes on when they are answered.
    case toolCall([LiveToolCall])
    /// Calls whose answers are not wanted any more; what they did may have to be undone.
    case toolCallCancelled(ids: [String])
    /// The model has written code, which the service runs; for ``LiveTool/codeExecution``.
    case code(LiveCode)
    /// What the code has done.
    case codeResult(LiveCodeResult)
    /// What the answer rests on that was searched for; for ``LiveTool/search``.
    case grounding(LiveGrounding)
    /// Addresses that the service has tried to read; for ``LiveTool/urlContext``.
    case addressesRead([LiveAddressRead])
    /// A handle with which a later session can go on.
    case resumable(handle: String)
    /// At this moment the session cannot be gone on with: the model speaks or waits for a function.
    ///
    /// Earlier handles go on from where they were made.
    case notResumable
    /// The service will close the connection after `timeLeft`.
    case goingAway(timeLeft: Duration)
    /// What the session costs: ``TokenUsage/prompt`` is the whole context so far, ``TokenUsage/answer`` the current answer.
    case usage(TokenUsage)
    /// A message that carries nothing of interest here.
    case other
    /// A message that could not be understood; the session goes on.
    case unreadable(detail: String)
    /// The end. `code` is the WebSocket close code (1006 for a lost connection).
    case closed(code: UInt16, reason: String)
}

/// A piece of speech in writing.
public struct LiveTranscript: Sendable, Hashable {
    /// The words since the piece before; may be empty beside ``isFinished``.
    public var text: String
    /// Whether the utterance is over; not every service says so.
    public var isFinished: Bool

    /// Makes a piece.
    public init(_ text: String, isFinished: Bool = false) {
        self.text = text
        self.isFinished = isFinished
    }
}
