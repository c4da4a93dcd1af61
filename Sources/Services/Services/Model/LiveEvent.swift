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
    /// What the session costs.
    case usage(LiveUsage)
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

/// Tokens that a session has taken.
public struct LiveUsage: Sendable, Hashable {
    /// The kinds of content that are counted apart; raw values are Gemini's names.
    public enum Modality: String, Sendable, Hashable, CaseIterable {
        case text = "TEXT"
        case image = "IMAGE"
        case video = "VIDEO"
        case audio = "AUDIO"
        case document = "DOCUMENT"
    }

    /// Tokens of the whole context of the session so far.
    public var prompt: Int
    /// Tokens of the current answer.
    public var response: Int
    /// Tokens of thoughts.
    public var thoughts: Int
    /// The part of ``prompt`` that the service had kept from before.
    public var cached: Int
    /// Tokens of what the service's own tools have given to the model; no part of ``prompt``.
    public var toolUse: Int
    /// All of it, as the service adds it up.
    public var total: Int
    /// ``prompt`` by kind; kinds that are unknown here are left out.
    public var promptDetails: [Modality: Int]
    /// ``response`` by kind.
    public var responseDetails: [Modality: Int]

    /// Makes a value of its parts; without a total, the parts are added up.
    public init(
        prompt: Int,
        response: Int,
        thoughts: Int = 0,
        cached: Int = 0,
        toolUse: Int = 0,
        total: Int? = nil,
        promptDetails: [Modality: Int] = [:],
        responseDetails: [Modality: Int] = [:]
    ) {
        self.prompt = prompt
        self.response = response
        self.thoughts = thoughts
        self.cached = cached
        self.toolUse = toolUse
        self.total = total ?? Self.sum(prompt, response, thoughts, toolUse)
        self.promptDetails = promptDetails
        self.responseDetails = responseDetails
    }

    /// Counts come from outside: their sum stops at the largest number.
    private static func sum(_ counts: Int...) -> Int {
        counts.reduce(0) { sum, count in
            let (value, isTooLarge) = sum.addingReportingOverflow(count)
            return isTooLarge ? .max : value
        }
    }
}
