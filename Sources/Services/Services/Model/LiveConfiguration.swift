/// What a session is asked to be.
///
/// It cannot change while the session is open.
public struct LiveConfiguration: Sendable, Hashable {
    /// The service's name for the model.
    public var model: String
    /// Standing instructions, or `nil` for the model's own manner.
    public var instructions: String?
    /// A handle from an earlier session, to go on where it stopped.
    public var resumption: String?
    /// Whether the model writes or speaks; one of both for a whole session.
    public var answer: LiveAnswer
    /// Whether what the model hears is written down in events.
    public var transcribesInput: Bool
    /// Whether what the model speaks is written down in events.
    public var transcribesOutput: Bool
    /// What the model may use.
    public var tools: [LiveTool]
    /// How the service learns that the user speaks.
    public var activity: LiveActivity
    /// How much the model thinks, and whether it shows that; `nil` for the model's own manner.
    public var thinking: LiveThinking?
    /// What is let through; the service's own thresholds for what is not named.
    public var safety: [HarmCategory: HarmThreshold]
    /// Turns that count as said before the session; left out when it goes on from an earlier one, which knows them.
    public var history: [LiveTurn]
    /// How much of the past the model keeps; `nil` leaves that to the backend.
    public var window: LiveContextWindow?
    /// The randomness of answers, from 0 to 2; `nil` for the model's own.
    public var temperature: Double?
    /// Tokens of the longest answer; `nil` for the model's own limit.
    public var longestAnswer: Int?

    /// Makes a value of its parts.
    public init(
        model: String,
        instructions: String? = nil,
        resumption: String? = nil,
        answer: LiveAnswer = .text,
        transcribesInput: Bool = false,
        transcribesOutput: Bool = false,
        tools: [LiveTool] = [],
        activity: LiveActivity = LiveActivity(),
        thinking: LiveThinking? = nil,
        safety: [HarmCategory: HarmThreshold] = [:],
        history: [LiveTurn] = [],
        window: LiveContextWindow? = nil,
        temperature: Double? = nil,
        longestAnswer: Int? = nil
    ) {
        self.model = model
        self.instructions = instructions
        self.resumption = resumption
        self.answer = answer
        self.transcribesInput = transcribesInput
        self.transcribesOutput = transcribesOutput
        self.tools = tools
        self.activity = activity
        self.thinking = thinking
        self.safety = safety
        self.history = history
        self.window = window
        self.temperature = temperature
        self.longestAnswer = longestAnswer
    }
}

/// In which form a model answers.
public enum LiveAnswer: Sendable, Hashable {
    /// In writing: ``LiveEvent/text(_:)``.
    case text
    /// Spoken: ``LiveEvent/audio(_:)``.
    case speech(LiveVoice = LiveVoice())
}

/// How a model sounds.
public struct LiveVoice: Sendable, Hashable {
    /// The service's name for a voice; `nil` for its usual one.
    public var name: String?
    /// A language such as `en-GB` (BCP 47); `nil` for the one that is spoken to it.
    public var language: String?

    /// Makes a voice.
    public init(name: String? = nil, language: String? = nil) {
        self.name = name
        self.language = language
    }
}

/// How much a model thinks before it answers.
public struct LiveThinking: Sendable, Hashable {
    /// Tokens for thinking; 0 for none, `nil` for the model's own measure.
    public var budget: Int?
    /// Whether summaries of thoughts come as events.
    public var isShown: Bool

    /// Makes a value of its parts.
    public init(budget: Int? = nil, isShown: Bool = false) {
        self.budget = budget
        self.isShown = isShown
    }
}

/// How much of the past a model keeps.
public struct LiveContextWindow: Sendable, Hashable {
    /// Tokens at which the oldest part is dropped; `nil` for the service's own number.
    public var trigger: Int?
    /// Tokens that are kept then; `nil` for half of the trigger.
    public var target: Int?

    /// Makes a window.
    public init(trigger: Int? = nil, target: Int? = nil) {
        self.trigger = trigger
        self.target = target
    }
}
